import type { Received } from '../world/backend.ts'
import { type Violation, violationsOf } from './violation.ts'

/** What the backend got again although it had sent a token of it, and what it got of requests that nobody accepted. */
export function checkSending(received: Iterable<Received>, records: number): Violation[] {
  const all = [...received]
  const twice = all.filter(({ afterToken }) => afterToken > 0)
  const details = twice.map(
    ({ nonce, times }) => `request ${nonce} came ${times} times, after a token of it, too`,
  )
  if (all.length > records) details.push(`the backend got ${all.length} requests, on record are ${records}`)
  return violationsOf('sent-twice', details)
}
