import assert from 'node:assert/strict'
import { expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/tee-labels-known',
  rules: ['MODL-22'],
  title: 'A label is one of the five that the platform defines',
  needs: ['key'],
  async run(context) {
    const labels = [
      'AMD SEV-SNP (QEMU)',
      'Intel TDX (QEMU)',
      'Intel TDX (GCP)',
      'Intel TDX (Azure)',
      'AMD SEV-SNP (Azure)',
    ]
    for (const { endpoint } of expectModels(await context.request('listModels'))) {
      if (typeof endpoint.tee === 'string')
        assert.ok(labels.includes(endpoint.tee), `${endpoint.tee} is not one of them`)
    }
  },
})
