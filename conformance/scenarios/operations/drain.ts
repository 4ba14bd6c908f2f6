import assert from 'node:assert/strict'
import { expectRecord, generationIdOf } from '../../engine/expect.ts'
import { askOperator } from '../../engine/operator.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream, expectStream } from '../../engine/stream.ts'

export default define({
  id: 'operations/drain',
  rules: ['OPS-02'],
  title:
    'Asked to end, a router is not ready, takes nothing new, lets streams end until a deadline, and ends the rest',
  needs: ['workspace', 'ledger', 'backendScript', 'sibling', 'siblingAdmin', 'siblingControl'],
  subjects: ['router'],
  isExclusive: true,
  waitsMs: ({ drainMs }) => drainMs,
  async run(context) {
    const { siblingUrl: baseUrl = '' } = context.target
    await context.script({ chunks: 4_000, betweenChunksMs: 50 })
    const [long, short] = await Promise.all([
      context.stream({}, { baseUrl }),
      context.stream({ max_tokens: 6 }, { baseUrl }),
    ])
    for (const call of [long, short])
      assert.ok(await call.until((soFar) => countTexts(soFar) > 0), 'a stream did not begin')
    await context.siblingControl('/stop')
    try {
      const [isNotReady, isClosed] = await Promise.all([
        context.eventually('the router says that it is not ready', async () => {
          return (await askOperator(context, '/readyz'))?.status === 503
        }),
        context.eventually('the router takes no new connection', () => isRefused(baseUrl)),
      ])
      assert.ok(isNotReady && isClosed)
      const ended = await short.done
      expectStream(ended)
      const cut = await long.done
      assert.equal(expectFailedStream(cut).error.code, 'internal')
      const recordOf = async (exchange: typeof cut) =>
        expectRecord(await context.record(generationIdOf(exchange)))
      assert.equal((await recordOf(ended)).status, 'ok')
      const aborted = await recordOf(cut)
      assert.equal(aborted.status, 'aborted')
      assert.ok(aborted.completion_tokens > 0, 'what was delivered is not metered')
    } finally {
      await context.siblingControl('/start')
    }
  },
})

async function isRefused(baseUrl: string): Promise<boolean> {
  try {
    await fetch(`${baseUrl}/evidence`, { headers: { connection: 'close' } })
    return false
  } catch {
    return true
  }
}
