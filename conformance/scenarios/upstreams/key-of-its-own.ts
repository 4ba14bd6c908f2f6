import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/key-of-its-own',
  rules: ['HDR-11'],
  title: 'An upstream gets the key that it asks for, and nothing of the client’s headers',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const headers = { cookie: 'session=canary', 'x-canary': 'canary', 'x-proxy-verdict': 'allow' }
      expectStatus(await context.chat({ model: context.model('doubted') }, { headers }), 200)
      const { key } = await context.own()
      const [received] = upstream.gateway.backend.requests()
      assert.equal(received?.headers.authorization, `Bearer ${upstream.apiKey}`)
      const text = JSON.stringify(received.headers)
      assert.doesNotMatch(text, /canary|x-proxy-verdict/, 'a header of the client reached the upstream')
      assert.ok(!text.includes(key), 'the key of the client reached the upstream')
    }),
})
