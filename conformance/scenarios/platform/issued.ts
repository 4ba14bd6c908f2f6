import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/issued',
  rules: ['BNDL-04'],
  title: 'The bundle says when it was signed, which is not long ago and not ahead',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { bundle } = read

    const ageMs = Date.now() - Date.parse(bundle.issuedAt)
    assert.ok(ageMs > -60_000, `it was signed ${-ageMs} ms ahead`)
    assert.ok(ageMs < context.target.limits.resignMs + 60_000, `it was signed ${ageMs} ms ago`)
  },
})
