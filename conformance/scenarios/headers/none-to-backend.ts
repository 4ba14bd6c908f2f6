import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'headers/none-to-backend',
  rules: ['HDR-11'],
  title: "Of the client's headers only listed ones reach a backend: never its key, cookies or X-*",
  needs: ['generation', 'backendScript'],
  async run(context) {
    const canary = `canary${context.random.word(8)}`
    const headers = {
      cookie: `session=${canary}`,
      'x-openwebui-user-email': `${canary}@example.org`,
      'x-forwarded-for': '203.0.113.7',
      'x-stainless-os': canary,
      'user-agent': canary,
      referer: `https://${canary}.example`,
      'openai-organization': canary,
    }
    await context.script({ chunks: 1 })
    const { key } = await context.own()
    expectStatus(await context.chat({}, { headers }), 200)
    expectStream(await context.chat({ stream: true }, { headers }))
    const received = await context.received()
    assert.equal(received.length, 2)
    for (const request of received) {
      const shown = JSON.stringify(request.headers)
      assert.ok(!shown.includes(canary), `a header of the client reached the backend: ${shown}`)
      assert.ok(!shown.includes(key), 'the key reached the backend')
      assert.ok(!shown.includes('203.0.113.7'), 'the address of the client reached the backend')
    }
  },
})
