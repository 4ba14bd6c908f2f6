import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/leaf-rotated',
  rules: ['CONN-06'],
  title: 'A platform that renews certificate and bundle together is followed without a refusal',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    for (let turn = 0; turn < 3; turn++) {
      await context.control('/rotate/leaf')
      for (let request = 0; request < 4; request++) {
        const exchange = await context.chat({ stream: request % 2 === 0 })
        expectStatus(exchange, 200)
        assert.equal(exchange.headers['x-proxy-verdict'], 'allow')
      }
    }
  },
})
