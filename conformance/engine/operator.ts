import * as assert from './assert.ts'
import type { Context } from './context.ts'
import { textOf } from './http/exchange.ts'
import { get } from './http/get.ts'

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
  const exchange = await get(`${context.target.siblingAdminUrl}${path}`, context.patience(TIMEOUT_MS))
  if (exchange.ending !== 'complete') return undefined
  return {
    status: exchange.status,
    type: exchange.headers['content-type'] ?? '',
    text: textOf(exchange),
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
