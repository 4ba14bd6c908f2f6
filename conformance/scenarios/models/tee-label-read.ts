import assert from 'node:assert/strict'
import { labelFor, labelNeeds, rootWith } from '../../engine/labels.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/tee-label-read',
  rules: ['MODL-23', 'MODL-24', 'MODL-25'],
  title:
    'The one field in the extension of the last certificate is the label; anything else is null, and no failure',
  needs: labelNeeds,
  subjects: ['router'],
  // What is published is published for all.
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2 * cases.length,
  async run(context) {
    for (const [name, value, label] of cases) {
      const root = typeof value === 'string' ? value : await rootWith(value)
      assert.equal(await labelFor(context, root), label, name)
    }
  },
})

/** A field of a protobuf message, by its number; of the wire type for bytes. */
function field(number: number, content = 'quote'): Buffer {
  return Buffer.concat([Uint8Array.of((number << 3) | 2, content.length), Buffer.from(content)])
}

const cases: readonly (readonly [name: string, value: Buffer | string, label: string | null])[] = [
  ['field 1', field(1), 'AMD SEV-SNP (QEMU)'],
  ['no certificate at all', 'none', null],
  ['field 2', field(2), 'Intel TDX (QEMU)'],
  ['two fields', Buffer.concat([field(1), field(2)]), null],
  ['field 3', field(3), 'Intel TDX (GCP)'],
  ['a field that means nothing', field(6), null],
  ['field 4', field(4), 'Intel TDX (Azure)'],
  ['bytes that end too soon', field(4).subarray(0, 4), null],
  ['field 5', field(5), 'AMD SEV-SNP (Azure)'],
  ['a number in place of bytes', Buffer.of(5 << 3, 1), null],
]
