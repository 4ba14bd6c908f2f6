import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

const VALUE = 'a value of a secret that nobody may read'
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database' }, stringData: { VALUE } }

export default define({
  id: 'platform/secret',
  rules: ['BNDL-31'],
  title: 'A deployment with a Secret is refused by its name, and nothing of it is published or told',
  needs: ['platform', 'platformControl'],
  subjects: ['platform'],
  isExclusive: true,
  async run(context) {
    const digest = async (): Promise<string> => {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      assert.ok(!JSON.stringify(read.payload).includes(VALUE))
      return read.payload.evidenceDigest
    }
    const before = await digest()
    try {
      for (const resource of [secret, { apiVersion: 'v1', kind: 'List', items: [secret] }]) {
        const refusal = await context
          .control('/rotate/deployment', { resources: [resource] })
          .then(() => 'it was deployed', String)
        assert.match(refusal, /Secret\W+database/)
        assert.ok(!refusal.includes(VALUE))
      }
      assert.equal(await digest(), before)
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
  },
})
