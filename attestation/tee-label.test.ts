import { expect, test } from 'vitest'
import { teeLabelOf } from './tee-label.ts'
import { makeChain } from './testing/chains.ts'

/** A root with that extension, as platforms have it. */
function certificateWith(message: number[] | undefined): Buffer | undefined {
  const content = Buffer.from(message ?? [])
  const extensions = message ? [{ oid: '0.6.9.42.840.113741.1337.6', critical: false, content }] : []
  return makeChain({ root: { extensions } }).certificates.at(-1)
}

test.each([
  [1, 'AMD SEV-SNP (QEMU)'],
  [2, 'Intel TDX (QEMU)'],
  [3, 'Intel TDX (GCP)'],
  [4, 'Intel TDX (Azure)'],
  [5, 'AMD SEV-SNP (Azure)'],
])('field %i alone names %s', (field, label) => {
  expect(teeLabelOf(certificateWith([(field << 3) | 2, 1, 7]))).toBe(label)
})

test.each([
  ['no extension', undefined],
  ['an empty message', []],
  ['two fields', [0x0a, 0, 0x12, 0]],
  ['the same field twice', [0x0a, 0, 0x0a, 0]],
  ['an unknown field', [0x32, 0]],
  ['a field that is a number', [0x08, 1]],
  ['a length beyond the message', [0x0a, 5, 1]],
  ['a cut number', [0x8a]],
])('%s names nothing that the router recognises', (_, message) => {
  expect(teeLabelOf(certificateWith(message))).toBeNull()
})

test.each([undefined, Buffer.alloc(0), Buffer.from('garbage')])(
  '%j is no certificate, and that is no error',
  (der) => {
    expect(teeLabelOf(der)).toBeNull()
  },
)
