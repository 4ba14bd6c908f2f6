import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'

export default define({
  id: 'proxy/leaf-rotated-in-stream',
  rules: ['CONN-05'],
  title: 'A stream that runs while the platform renews its certificate comes to its end',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 30, betweenChunksMs: 30 })
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 3), 'the stream did not begin')
    await context.control('/rotate/leaf')
    expectStatus(await context.request('listModels'), 200)
    const { text } = expectStream(await call.done)
    assert.ok(text.endsWith('word30'), 'the stream did not come to its end')
  },
})
