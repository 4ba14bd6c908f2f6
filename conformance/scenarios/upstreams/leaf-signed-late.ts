import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

/** How long the upstream shows a certificate that it has not signed for. */
const SPLIT_MS = 3_000

export default define({
  id: 'upstreams/leaf-signed-late',
  rules: ['VERD-19', 'CONN-06'],
  title:
    'Requests that meet the new certificate of an upstream before it has signed for it wait, with nothing sent, and are served',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  waitsMs: () => SPLIT_MS,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      await gateway.renewLeaf({ isPublished: false })
      gateway.drop()
      const asked = [false, true, false].map((stream) => upstream.chat({ stream }))
      await context.eventually('the evidence is looked at again', async () => gateway.asked > 2)
      await sleep(SPLIT_MS)
      assert.equal(gateway.sent.length, 1, 'something was sent before it was signed for')
      await gateway.publish()
      for (const answer of await Promise.all(asked)) expectStatus(answer, 200)
      assert.equal(gateway.sent.length, 4, 'something was sent twice')
    }),
})
