import assert from 'node:assert/strict'
import { expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/entry-names',
  rules: ['MODL-14', 'MODL-15', 'MODL-16', 'MODL-17'],
  title: 'An entry has its name, its largest output, its endpoint, both prices by name, and what it can do',
  needs: ['key'],
  async run(context) {
    for (const entry of expectModels(await context.request('listModels'))) {
      assert.ok(entry.name.length > 0)
      assert.ok(Number.isInteger(entry.max_output_tokens) && entry.max_output_tokens > 0)
      assert.ok(entry.endpoint.name.length > 0)
      assert.ok(entry.endpoint.hostname.length > 0)
      assert.deepEqual(Object.keys(entry.pricing).toSorted(), [
        'completion_per_1m_micros',
        'prompt_per_1m_micros',
      ])
      assert.ok(entry.capabilities.length > 0)
      for (const capability of entry.capabilities) {
        assert.ok(
          ['chat', 'completions', 'embeddings'].includes(capability),
          `${capability} is not a capability`,
        )
      }
    }
  },
})
