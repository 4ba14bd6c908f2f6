import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/hostile-gateway',
  rules: ['PRXY-02', 'PRXY-04', 'VERD-01', 'VERD-05'],
  title:
    'Somebody on the way with certificate and evidence of his own is asked for evidence and sent nothing else',
  needs: ['generation', 'proxyWire', 'platform'],
  subjects: ['proxy'],
  isExclusive: true,
  waitsMs: () => 30_000,
  async run(context) {
    expectStatus(await context.request('listModels'), 200)
    await interposed(context, async (hostile) => {
      for (const stream of [false, true]) {
        const refused = await context.chat({ stream })
        expectError(refused, 'attestation_failed')
        assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
      }
      assert.ok(hostile.asked > 0, 'his evidence was not looked at')
      assert.deepEqual(hostile.sent, [], 'something was sent to him')
    })
    await untilServed(context, () => context.request('listModels'))
  },
})
