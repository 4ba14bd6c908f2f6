import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectChat, generationIdOf, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'upstreams/admitting-digest',
  rules: ['CHAT-15'],
  title: 'Usage and record of an external generation name the digest of the verdict that admitted it',
  needs: ['generation', 'feature:upstreams', 'model:external', 'endpoint:external'],
  async run(context) {
    const params = { endpoint: context.target.endpoints.external ?? '' }
    const { payload } = expectBundle(await context.request('getEndpointEvidence', { params }))
    const exchange = await context.chat({ model: context.model('external') })
    assert.equal(expectChat(exchange).usage.evidence_digest, payload.evidenceDigest)
    const record = recordIn(await context.record(generationIdOf(exchange)))
    assert.equal(record.evidence_digest, payload.evidenceDigest)
  },
})
