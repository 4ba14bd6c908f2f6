import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { generationIdOf } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'

/** A lease, how often it is renewed, and how often tokens are put down (decisions, 2). */
const LEASE_MS = 20_000
const RENEWAL_MS = 5_000
const CHECKPOINT_MS = 5_000
const CHUNK_MS = 100
/** Comes to its end after the lease has lapsed. */
const CHUNKS = (CHECKPOINT_MS * 2 + LEASE_MS * 1.5) / CHUNK_MS

export default define({
  id: 'credit/lapsed-lease',
  rules: ['CRED-21', 'CRED-23', 'CRED-29', 'CRED-30'],
  title:
    'What a router has left behind is settled once its lease has lapsed, with the tokens it last put down, and its answer then ends with an error',
  needs: ['workspace', 'ledger', 'backendScript', 'spare', 'spareWire'],
  subjects: ['router'],
  waitsMs: () => CHUNKS * CHUNK_MS,
  async run(context) {
    await context.script({ chunks: CHUNKS, betweenChunksMs: CHUNK_MS })
    const begunMs = performance.now()
    const call = await context.stream({}, { baseUrl: context.target.spareUrl })
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 2), 'the stream did not begin')
    const id = generationIdOf(call.exchange)
    await sleep(CHECKPOINT_MS * 1.5)
    await context.wire('spareWire').cut()
    // On a busy machine this reader may be behind; more than the backend had sent by now nobody has delivered.
    const sent = Math.ceil((performance.now() - begunMs) / CHUNK_MS)
    try {
      // The last renewal is this old at the most.
      await sleep(LEASE_MS - RENEWAL_MS * 1.5)
      assert.equal((await context.books()).holds.length, 1, 'its hold is gone before its lease has lapsed')
      const record = await context.eventually(
        'what was left behind is settled',
        async () => (await context.books()).generations.find((one) => one.id === id),
        LEASE_MS,
      )
      assert.equal(record.status, 'aborted')
      assert.ok(record.completion_tokens > 0, 'nothing was put down')
      assert.ok(
        record.completion_tokens <= sent,
        `${record.completion_tokens} tokens are booked, at most ${sent} had been delivered`,
      )
      assert.deepEqual((await context.books()).holds, [])
    } finally {
      await context.wire('spareWire').mend()
    }
    assert.equal(expectFailedStream(await call.done).error.code, 'internal')
    assert.equal((await context.books()).generations.length, 1, 'it was settled a second time')
  },
})
