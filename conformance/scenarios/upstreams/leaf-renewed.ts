import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/leaf-renewed',
  rules: ['CONN-05', 'CONN-06'],
  title:
    'An upstream that renews certificate and bundle together is followed without a refusal, and nothing is sent twice',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 30, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      assert.ok(await running.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
      await gateway.renewLeaf()
      await gateway.backend.play({})
      const answers = await Promise.all(Array.from({ length: 5 }, () => upstream.chat()))
      for (const answer of answers) expectStatus(answer, 200)
      assert.ok(
        expectStream(await running.done).text.endsWith('word30'),
        'the stream did not come to its end',
      )
      assert.equal(gateway.sent.length, 6, 'something was sent twice')
    }),
})
