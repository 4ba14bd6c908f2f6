import assert from 'node:assert/strict'
import { expectBundle, teeOf } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/label',
  rules: ['MODL-09'],
  title: 'The root names its hardware by a label of the closed set',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { chain } = read

    assert.ok(chain.length > 0)
    assert.notEqual(teeOf(read), null, 'it names none')
  },
})
