import assert from 'node:assert/strict'
import { labelFor, labelNeeds, rootWith } from '../../engine/labels.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/tee-label-unknown',
  rules: ['MODL-10'],
  title: 'Where the evidence names nothing that the router knows, the label is null',
  needs: labelNeeds,
  subjects: ['router'],
  // What is published is published for all.
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    assert.equal(await labelFor(context, await rootWith(undefined)), null)
  },
})
