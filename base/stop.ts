import { once } from 'node:events'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Resolves with the reason to stop: SIGINT, SIGTERM, one of `others`, or, with `withParent`, that standard input has
 * closed. A second signal ends the process at once.
 */
export async function untilStopped(
  withParent: boolean,
  others: readonly Promise<string>[] = [],
): Promise<string> {
  const reasons = [...SIGNALS.map((signal) => once(process, signal).then(() => signal)), ...others]
  const { stdin } = process
  if (withParent) {
    stdin.resume()
    // Waiting for its end must not keep a program alive that could not start.
    if ('unref' in stdin) stdin.unref()
    reasons.push(once(stdin, 'close').then(() => 'its starter has gone'))
  }
  const reason = await Promise.race(reasons)
  // Nor must its pipe one that has ended.
  if (withParent) stdin.destroy()
  for (const signal of SIGNALS) process.once(signal, () => process.exit(1))
  return reason
}
