import assert from 'node:assert/strict'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'proxy/revoked-in-stream',
  rules: ['ERR-22', 'ERR-36', 'STRM-06', 'STRM-19'],
  title: 'A verdict that is withdrawn ends a running stream with attestation_revoked as its last event',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    await context.script({ chunks: 2_000, betweenChunksMs: 20 })
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 3), 'the stream did not begin')
    await context.control('/rotate/deployment')
    await context.control('/rotate/leaf')
    try {
      await untilRefused(context, ask)
      const { error } = expectFailedStream(await call.done)
      assert.deepEqual([error.code, error.type], ['attestation_revoked', 'proxy_error'])
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
    await untilServed(context, ask)
  },
})
