import { Integer, OctetString } from 'asn1js'
import { Certificate, Extension } from 'pkijs'
import { expect, test } from 'vitest'
import { teeLabelOf } from './tee-label.ts'

/** A certificate with just that extension; it is only read, so nobody has to have signed it. */
function certificateWith(message: number[] | undefined): Buffer {
  const certificate = new Certificate()
  certificate.serialNumber = new Integer({ value: 1 })
  if (message !== undefined) {
    certificate.extensions = [
      new Extension({
        extnID: '0.6.9.42.840.113741.1337.6',
        extnValue: new OctetString({ valueHex: Uint8Array.from(message).buffer }).valueBlock.valueHex,
      }),
    ]
  }
  certificate.notBefore.value = certificate.notAfter.value = new Date('2026-01-01T00:00:00Z')
  return Buffer.from(certificate.toSchema(true).toBER())
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
