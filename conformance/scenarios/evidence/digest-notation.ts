import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/digest-notation',
  rules: ['DIG-02'],
  title: 'Digests on the wire are sha256/ and base64url',
  needs: ['generation', 'feature:evidence'],
  async run(context) {
    const { bundle, payload } = expectBundle(await context.request('getEvidence', { key: null }))
    const { usage } = expectChat(await context.chat())
    for (const digest of [bundle.certFingerprint, payload.evidenceDigest, usage.evidence_digest]) {
      assert.match(String(digest), /^sha256\/[A-Za-z0-9_-]{43}$/)
    }
  },
})
