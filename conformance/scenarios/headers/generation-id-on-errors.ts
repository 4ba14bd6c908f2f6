import assert from 'node:assert/strict'
import { expectStatus, generationIdOf } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'headers/generation-id-on-errors',
  rules: ['HDR-10'],
  title: 'Every response of an accepted request names its generation, errors too',
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const script of [
      { status: 500 },
      { status: 401 },
      { status: 400 },
      { body: 'no JSON' },
      { fault: { kind: 'refuse' } },
    ]) {
      await context.script(script)
      for (const stream of [false, true]) {
        const exchange = await context.chat({ stream })
        assert.ok(exchange.status >= 400, `${exchange.status} for ${JSON.stringify(script)}`)
        expectStatus(await context.record(generationIdOf(exchange)), 200)
      }
    }
  },
})
