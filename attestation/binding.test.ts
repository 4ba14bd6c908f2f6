import { expect, test } from 'vitest'
import { bindConnection } from './binding.ts'
import { digestOf } from './digest.ts'
import { toPem } from './testing/certificates.ts'
import { goodChain } from './testing/chains.ts'
import { SNAPSHOT_DIGEST, TLS_FINGERPRINT, TLS_LEAF } from './testing/evidence.ts'

const [other = Buffer.alloc(0)] = goodChain().certificates
const bound = { certFingerprint: TLS_FINGERPRINT, evidenceDigest: SNAPSHOT_DIGEST, tlsLeaf: toPem(TLS_LEAF) }
const refusal = (reason: string) =>
  expect.objectContaining({ stage: 'tls-fingerprint', reason, evidenceDigest: SNAPSHOT_DIGEST })

test('the leaf that was seen is told as observed, whatever the bundle shows', () => {
  const expected = { observedLeaf: TLS_FINGERPRINT, acceptProducerAsserted: true }
  expect(bindConnection({ ...bound, tlsLeaf: toPem(other) }, expected)).toBe('observed')
})

test('another leaf than the signed one is refused, even where the producer’s word would do', () => {
  const expected = { observedLeaf: digestOf(other), acceptProducerAsserted: true }
  expect(() => bindConnection(bound, expected)).toThrow(refusal('leaf_mismatch'))
})

test('without a connection nothing is bound', () => {
  expect(() => bindConnection(bound, {})).toThrow(refusal('leaf_not_observed'))
})

test('the producer’s word is told as such, and only where it is accepted', () => {
  expect(bindConnection(bound, { acceptProducerAsserted: true })).toBe('producer-asserted')
  expect(() => bindConnection(bound, { acceptProducerAsserted: false })).toThrow(refusal('leaf_not_observed'))
})

test.each([
  ['another certificate', toPem(other), 'leaf_mismatch'],
  ['no certificate', 'x', 'leaf_mismatch'],
  ['nothing', undefined, 'leaf_not_observed'],
])('a producer that shows %s has given no word', (_, tlsLeaf, reason) => {
  expect(() => bindConnection({ ...bound, tlsLeaf }, { acceptProducerAsserted: true })).toThrow(
    refusal(reason),
  )
})
