import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectError, expectStatus, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'
import { FIRST_REVISION } from '../../stand-ins/gateway/gateway.ts'

/** Longer than a check that needs nobody's leave would take to come. */
const PAUSE_MS = 1_500

export default define({
  id: 'upstreams/sticky',
  rules: ['VERD-21', 'VERD-20'],
  title:
    'An admitted upstream that deploys what is not approved is denied, and stays so until an administrator acts',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      await gateway.deploy('another')
      await gateway.renewLeaf()
      gateway.drop()
      const refuse = async () => {
        const refused = await nothingSent(upstream, () => upstream.chat())
        expectStatus(refused, 503)
        expectSubset(objectOf(refused), { stage: 'upstream-policy', reason: 'digest_not_pinned' })
        return refused
      }
      // It was let in before its connection showed what has changed, so either code would tell the truth.
      await refuse()
      await gateway.deploy(FIRST_REVISION)
      expectError(await refuse(), 'attestation_failed')
      await sleep(PAUSE_MS)
      expectError(await refuse(), 'attestation_failed')
      assert.ok(!(await upstream.isListed()), 'the model is listed again, though nobody has acted')
      await upstream.set('admitted')
      expectStatus(await upstream.chat(), 200)
    }),
})
