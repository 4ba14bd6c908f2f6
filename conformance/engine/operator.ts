import assert from 'node:assert/strict'
import type { Context } from './context.ts'

/** What the operator's listener answers. */
export interface Told {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** How long an answer may take (ours). */
const TIMEOUT_MS = 5_000

/** Gets a path of the sibling's listener for operators; undefined when it does not answer in time. */
export async function askOperator(context: Context, path: string): Promise<Told | undefined> {
  const signal = AbortSignal.timeout(context.patience(TIMEOUT_MS))
  try {
    const response = await fetch(`${context.target.siblingAdminUrl}${path}`, { signal })
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, text: await response.text() }
  } catch {
    return undefined
  }
}

/** Asserts an answer of the operator's listener, and gives its text. */
export async function expectTold(context: Context, path: string, status: number): Promise<string> {
  const told = await askOperator(context, path)
  assert.equal(told?.status, status, `${path} was answered ${told?.status ?? 'by nobody'}`)
  return told.text
}

/** The value of the first series of that name, whatever its labels; undefined when there is none. */
export function seriesValue(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
}
