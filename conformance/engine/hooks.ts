import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { ControlOperation, ControlOperations } from '#contract/control'
import type { HookConfig } from '#contract/models'
import type { Validator } from '#contract/validator'
import { isControlBooks } from '#contract/validators/control-books'
import { isControlCreatedKey } from '#contract/validators/control-created-key'
import { isControlDebits } from '#contract/validators/control-debits'
import { isControlDone } from '#contract/validators/control-done'
import { isControlInvitation } from '#contract/validators/control-invitation'
import { isControlKey } from '#contract/validators/control-key'
import { isControlLostLimits } from '#contract/validators/control-lost-limits'
import { isControlMails } from '#contract/validators/control-mails'
import { isControlProxy } from '#contract/validators/control-proxy'
import { isControlRedemption } from '#contract/validators/control-redemption'
import { isControlVerification } from '#contract/validators/control-verification'
import { isControlWorkspace } from '#contract/validators/control-workspace'
import { faultOf } from './fault.ts'
import { undoneBy } from './hook-deeds.ts'
import { Interrupted, NotTestable } from './thrown.ts'

/** A hook that failed. The scenario ends as `error`, not as `fail`: nothing was learnt of the product. */
export class HookError extends Interrupted {
  override readonly name: string = 'HookError'
}

/** A hook that refused: its URL answered outside 2xx, or its command ended with another code than 0. */
export class HookRefusal extends HookError {
  override readonly name = 'HookRefusal'
}

/** Asks the deployment for something by a hook that its target file names. */
export type Hooks = <Op extends ControlOperation>(
  operation: Op,
  request: ControlOperations[Op]['request'],
) => Promise<ControlOperations[Op]['response']>

/**
 * How long a hook may take (ours). It ends what hangs, and measures nobody: a busy machine takes longer than half a minute
 * to start a router, and a hook that is given up is an error of the suite.
 */
export const TIMEOUT_MS = 180_000

/** What each hook has to answer. */
export const hookAnswers: Readonly<Record<ControlOperation, Validator>> = {
  reset: isControlDone,
  createWorkspace: isControlWorkspace,
  createKey: isControlCreatedKey,
  updateKey: isControlKey,
  revokeKey: isControlKey,
  setBalance: isControlWorkspace,
  issueInvitation: isControlInvitation,
  withdrawInvitation: isControlInvitation,
  redeemInvitation: isControlRedemption,
  debits: isControlDebits,
  books: isControlBooks,
  verifyLedger: isControlVerification,
  lostLimits: isControlLostLimits,
  registerUpstream: isControlDone,
  setVerdict: isControlDone,
  publishEvidence: isControlDone,
  readMails: isControlMails,
  startProxy: isControlProxy,
  advanceClock: isControlDone,
}

/**
 * Makes the hooks of a target callable. A call throws a `HookRefusal` when the hook refuses, and a `HookError` when
 * the target has no such hook, it cannot be reached or its answer is of another form. An answer that does not show what
 * was asked for is `NotTestable`.
 */
export function createHooks(configured: Readonly<Partial<Record<ControlOperation, HookConfig>>>): Hooks {
  return async (operation, request) => {
    const hook = configured[operation]
    if (hook === undefined) throw new HookError(`the target has no hook ${operation}`)
    const body = JSON.stringify(request)
    const reply = await (hook.url === undefined ? run(hook.command ?? [], body) : post(hook.url, body)).catch(
      (cause: Error) => {
        const Kind = cause instanceof HookRefusal ? HookRefusal : HookError
        throw new Kind(`the hook ${operation} failed: ${faultOf(cause)}`, { cause })
      },
    )
    const validate = hookAnswers[operation]
    const answer = parse(reply)
    if (!validate(answer)) {
      const [first] = validate.errors ?? []
      const problem = `${first?.instancePath || 'its answer'} ${first?.message}`
      throw new HookError(`the hook ${operation} answered in another form: ${problem}`)
    }
    const undone = undoneBy(operation, request, answer as Readonly<Record<string, unknown>>)
    if (undone !== undefined) throw new NotTestable(`the hook ${operation} did not do as asked: ${undone}`)
    return answer as never
  }
}

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.text()
  if (!response.ok) throw new HookRefusal(`it answered ${response.status}: ${answer.slice(0, 300)}`)
  return answer
}

async function run([program, ...args]: readonly string[], body: string): Promise<string> {
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: TIMEOUT_MS })
  let [output, complaint] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (complaint += piece))
  // A command that reads nothing is no mistake.
  child.stdin.on('error', () => {})
  child.stdin.end(body)
  const code = await endOf(child)
  // What it has started may write on, and holds up nobody.
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
  if (code !== 0) throw new HookRefusal(`it ended with ${code}: ${complaint.trim().slice(0, 300)}`)
  return output
}

/** What a command has left running keeps its output open; what it said itself has come after so long (ours). */
const BACKGROUND_MS = 250

/** How a command ended, once all that it said was read. Throws where it cannot be started. */
function endOf(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // Between a timer and what is immediate Node reads what has come.
      timer = setTimeout(() => setImmediate(resolve, code ?? signal), BACKGROUND_MS)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal)
    })
  })
}

function parse(reply: string): unknown {
  try {
    return JSON.parse(reply)
  } catch {
    return undefined
  }
}

/** Gets the JSON that a stand-in's control address answers. Throws a `HookError` for anything but 2xx. */
export async function readControl(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    return await response.json()
  } catch (cause) {
    throw new HookError(`${url} does not tell: ${faultOf(cause)}`, { cause })
  }
}

/** Posts to a stand-in's control address. Throws a `HookError` for anything but 2xx. */
export async function askControl(url: string, body?: object): Promise<void> {
  try {
    await post(url, body === undefined ? '' : JSON.stringify(body))
  } catch (cause) {
    throw new HookError(`${url} does not do as told: ${faultOf(cause)}`, { cause })
  }
}
