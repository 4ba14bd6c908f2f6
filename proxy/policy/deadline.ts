import { createContext, Script } from 'node:vm'

/** What ran for too long. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

// V8 can stop what runs only when it was started as a script. The context is no wall: what is called in it is our own.
const world: { task: () => void } = { task() {} }
createContext(world)
const script = new Script('task()')

/** Runs something that does not wait; throws `DeadlineError` when it has not ended in time, wherever it is then. */
export function runWithin<T>(timeoutMs: number, task: () => T): T {
  let result: { readonly value: T } | undefined
  world.task = () => {
    result = { value: task() }
  }
  try {
    script.runInContext(world, { timeout: timeoutMs })
  } catch (cause) {
    throw isTimeout(cause) ? new DeadlineError(`It did not end within ${timeoutMs} ms.`, { cause }) : cause
  } finally {
    world.task = () => {}
  }
  if (!result) throw new DeadlineError(`It did not end within ${timeoutMs} ms.`)
  return result.value
}

/** The error belongs to the script's world, not to ours: it is no `Error` here. */
function isTimeout(thrown: unknown): boolean {
  const isObject = typeof thrown === 'object' && thrown !== null
  return isObject && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
