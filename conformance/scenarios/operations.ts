import * as assert from '../engine/assert.ts'
import { expectError, expectRecord, expectStatus, generationIdOf } from '../engine/expect.ts'
import { askOperator, expectTold } from '../engine/operator.ts'
import { expectBegun, expectFailedStream, expectStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

export default {
  drain: {
    rules: ['OPS-02'],
    title:
      'Asked to end, a router is not ready, takes nothing new, lets streams end until a deadline, and ends the rest',
    needs: ['workspace', 'books', 'backendScript', 'sibling', 'siblingAdmin', 'siblingControl'],
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
      for (const call of [long, short]) await expectBegun(call)
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
  },

  watched: {
    rules: ['OPS-01'],
    title:
      'Health, readiness and metrics have a listener of their own, with names of OpenTelemetry and no content',
    needs: ['workspace', 'backendScript', 'sibling', 'siblingAdmin'],
    subjects: ['router'],
    async run(context) {
      const { siblingUrl: baseUrl = '' } = context.target
      const { key } = await context.own()
      await context.script({ chunks: 2 })
      for (const stream of [false, true]) expectStatus(await context.chat({ stream }, { baseUrl }), 200)
      assert.match(await expectTold(context, '/healthz', 200), /ok/)
      assert.match(await expectTold(context, '/readyz', 200), /ready/)
      const metrics = await expectTold(context, '/metrics', 200)
      assert.match(metrics, /^# TYPE gen_ai_server_request_duration/m, 'the conventions’ names are not used')
      assert.match(metrics, new RegExp(`gen_ai_request_model="${context.model()}"`))
      for (const secret of [context.nonce, key, key.slice(0, 20)])
        assert.ok(!metrics.includes(secret), 'the metrics hold what was said, or a key')
      for (const path of ['//metrics', '//healthz', '//readyz'])
        expectError(await context.client.send({ path, key: undefined }), 'not_found')
    },
  },
} satisfies Topic

/** How long a connection is tried (ours). */
const REFUSAL_MS = 5_000

async function isRefused(baseUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(REFUSAL_MS)
    await fetch(`${baseUrl}/evidence`, { headers: { connection: 'close' }, signal })
    return false
  } catch {
    return true
  }
}
