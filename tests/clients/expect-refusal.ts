import { expect, vi } from 'vitest'
import type { ClientName, Refused } from './client.ts'
import type { Refusal } from './refusals.ts'
import type { Visit } from './visit.ts'

// A client's own pauses between its tries are within.
const NEXT_TRY = { timeout: 20_000, interval: 20 }

/** Asks once and compares what the server saw. */
export async function expectRefusal(visit: Visit, client: ClientName, refusal: Refusal): Promise<void> {
  const { code, isPrimed = false, isSevered = false } = refusal
  const statuses = refusal.statuses[client]
  if (isPrimed) await visit.ask('chat')
  const earlier = visit.seen().length
  const asked = visit.ask('chat').then(
    () => undefined,
    (thrown: unknown) => (thrown as Refused).failure,
  )
  if (isSevered) await severEachOf(visit, statuses.length)
  const failure = await asked
  const seen = visit.seen().slice(earlier)
  expect(seen.map(({ response }) => response.statusCode)).toEqual(statuses)
  if (statuses.at(-1) === 200) return
  const requestId = expect.stringMatching(/^req-/)
  expect(failure).toMatchObject({ status: statuses.at(-1), code, requestId, ...refusal.told?.[client] })
  expect(failure?.message).not.toBe('')
  const paid = (await visit.books()).filter(({ costMicros }) => costMicros > 0)
  expect(paid).toHaveLength(isSevered ? statuses.length : 0)
}

async function severEachOf(visit: Visit, tries: number): Promise<void> {
  for (let count = 1; count <= tries; count += 1) {
    await vi.waitFor(() => expect(visit.received()).toHaveLength(count), NEXT_TRY)
    visit.sever()
  }
}
