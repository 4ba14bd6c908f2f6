import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../engine/context.ts'
import { expectError, expectStatus, generationIdOf } from '../../engine/expect.ts'
import type { Call } from '../../engine/http/call.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream, expectStream } from '../../engine/stream.ts'

/** Longer than a lease of 20 seconds, and than the 5 that a settlement is waited for (decisions, 2). */
const OUTAGE_MS = 22_000

/** Time to take the database away before an answer comes (ours). */
const ANSWER_MS = 3_000
const CHUNKS = 280

export default define({
  id: 'credit/outage',
  rules: ['CRED-22', 'CRED-33', 'ERR-42'],
  title:
    'While every router has lost the database, what ends is a 500 internal and booked as aborted later, and nobody settles what still runs',
  needs: [
    ...(['workspace', 'ledger', 'backendScript', 'sibling'] as const),
    ...(['databaseWire', 'siblingWire', 'spareWire'] as const),
  ],
  subjects: ['router'],
  isExclusive: true,
  waitsMs: () => ANSWER_MS + OUTAGE_MS,
  async run(context) {
    const wires = (['databaseWire', 'siblingWire', 'spareWire'] as const).map((name) => context.wire(name))
    const running = await longStreams(context)
    await context.script({ chunks: 10, beforeHeadersMs: ANSWER_MS })
    const [stream, whole] = [await context.stream(), await context.open('createChatCompletion')]
    await context.eventually('all are under way', async () => (await context.received()).length === 4)
    await Promise.all(wires.map((wire) => wire.cut()))
    await sleep(OUTAGE_MS).finally(() => Promise.all(wires.map((wire) => wire.mend())))

    const ended = [await stream.done, await whole.done] as const
    const { error } = expectFailedStream(ended[0])
    assert.deepEqual([error.code, error.type], ['internal', 'server_error'])
    expectError(ended[1], 'internal')
    assert.equal(ended[1].headers['x-should-retry'], 'false')
    const ranOn = await Promise.all(running.map(({ done }) => done))
    for (const exchange of ranOn) {
      expectStatus(exchange, 200)
      expectStream(exchange)
    }
    const records = await context.eventually('all are settled', async () => {
      const { generations } = await context.books()
      return generations.length === 4 && new Map(generations.map((record) => [record.id, record]))
    })
    for (const exchange of ended) assert.equal(records.get(generationIdOf(exchange))?.status, 'aborted')
    const tokens = ended.map((exchange) => records.get(generationIdOf(exchange))?.completion_tokens)
    assert.deepEqual(tokens, [10, 0], 'of the stream all was delivered, of the answer nothing')
    for (const exchange of ranOn) {
      const record = records.get(generationIdOf(exchange))
      assert.deepEqual([record?.status, record?.completion_tokens], ['ok', CHUNKS])
    }
  },
})

/** A stream at the router and one at its sibling that outlast the outage. */
async function longStreams(context: Context): Promise<readonly Call[]> {
  await context.script({ chunks: CHUNKS, betweenChunksMs: 100 })
  const calls = await Promise.all(
    [undefined, context.target.siblingUrl].map((baseUrl) => context.stream({}, { baseUrl })),
  )
  for (const call of calls)
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 2), 'the stream did not begin')
  return calls
}
