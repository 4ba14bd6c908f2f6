import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'headers/none-from-backend',
  rules: ['HDR-12'],
  title: "Of a backend's headers only the content type reaches the client",
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({
      chunks: 2,
      headers: {
        'x-backend': 'secret',
        'set-cookie': 'a=1',
        server: 'engine',
        'x-request-id': 'backend',
        'openai-version': '1',
      },
    })
    for (const stream of [false, true]) {
      const exchange = await context.chat({ stream }, { headers: { 'x-request-id': 'mine' } })
      if (stream) expectStream(exchange)
      else expectChat(exchange)
      for (const name of ['x-backend', 'set-cookie', 'openai-version']) {
        assert.equal(exchange.headers[name], undefined, `${name} of the backend reached the client`)
      }
      assert.equal(exchange.headers['x-request-id'], 'mine')
      assert.notEqual(exchange.headers.server, 'engine')
    }
  },
})
