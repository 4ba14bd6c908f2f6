import { digestOf } from '../../digest.ts'
import { goodChain, keysFor } from '../chains.ts'
import { goodPayload, makeEnvelope, SNAPSHOT, SNAPSHOT_DIGEST } from '../evidence.ts'
import type { Refusals } from './table.ts'

const stranger = keysFor('stranger')
const signed = (members: Record<string, unknown>) => ({ payload: members })
const member = (name: string, value: string) => ({
  payloadText: JSON.stringify(goodPayload()).replace('{', `{"${name}":${value},`),
})

/** Signatures that do not hold. */
export const signatureRefusals: Refusals = {
  jws_malformed: {
    'two parts': () => ({ envelope: { jws: 'e30.e30' } }),
    'four parts': () => ({ envelope: { jws: `${makeEnvelope().jws}.e30` } }),
    'padded base64url': () => ({ envelope: { jws: `${makeEnvelope().jws}==` } }),
    'a header that is no object': () => ({ headerText: '[]' }),
    'a header that names its algorithm twice': () => ({ headerText: '{"alg":"none","alg":"ES256"}' }),
    'a header without an algorithm': () => ({ headerText: '{}' }),
  },
  algorithm_not_allowed: {
    'no algorithm and no signature': () => ({ header: { alg: 'none' }, signature: () => Buffer.alloc(0) }),
    'a shared secret': () => ({ header: { alg: 'HS256' } }),
    'an algorithm named like a member of every object': () => ({ header: { alg: 'constructor' } }),
  },
  key_algorithm_mismatch: {
    'another curve': () => ({ header: { alg: 'ES384' } }),
    'RSA over a curve': () => ({ header: { alg: 'RS256' } }),
    'secp256k1 over P-256': () => ({ header: { alg: 'ES256K' } }),
  },
  critical_header: {
    'a demand in the header': () => ({ header: { crit: ['b64'], b64: true } }),
    'an empty demand': () => ({ header: { crit: [] } }),
  },
  signature_invalid: {
    'another key': () => ({ chain: { ...goodChain(), keys: stranger } }),
    'a signature of zeros': () => ({ signature: () => Buffer.alloc(64) }),
    'no signature': () => ({ signature: () => Buffer.alloc(0) }),
    'a signature of zeros, secp256k1': () => ({ algorithm: 'ES256K', signature: () => Buffer.alloc(64) }),
    'a signature that is too long, secp256k1': () => ({
      algorithm: 'ES256K',
      signature: (made) => Buffer.concat([made, Buffer.alloc(2)]),
    }),
    'a key that the header brings along': () => ({
      chain: { ...goodChain(), keys: stranger },
      header: { jwk: stranger.publicKey.export({ format: 'jwk' }) },
    }),
  },
}

/** What is signed, but refused. */
export const payloadRefusals: Refusals = {
  payload_malformed: {
    'no JSON': () => ({ payloadText: 'x' }),
    'another type than an object': () => ({ payloadText: '[]' }),
    'no digest': () => signed({ evidenceDigest: undefined }),
    'no version': () => signed({ version: undefined }),
    'a snapshot that is no object': () => signed({ evidence: 'x' }),
    'a time that does not exist': () => signed({ issuedAt: '2026-02-30T12:00:00Z' }),
    'an integer beyond 2^53': () => member('more', '9007199254740993'),
  },
  duplicate_key: {
    'a member twice': () => member('hostname', '"other.example"'),
    'a member twice, deep down': () => member('more', '[{"a":{"b":1,"\\u0062":2}}]'),
  },
  kind_mismatch: { 'another kind': () => signed({ kind: 'Receipt' }) },
  hostname_mismatch: { 'another hostname': () => signed({ hostname: 'other.example' }) },
  envelope_mismatch: {
    'another version': () => signed({ version: 2 }),
    'another time in the envelope': () => ({ envelope: { issuedAt: '2026-06-01T11:59:30.250Z' } }),
    'another fingerprint in the envelope': () => ({ envelope: { certFingerprint: SNAPSHOT_DIGEST } }),
  },
  bundle_stale: {
    'a signature of the day before yesterday': () => signed({ issuedAt: '2026-05-30T12:00:00Z' }),
  },
  issued_in_future: { 'a signature of tomorrow': () => signed({ issuedAt: '2026-06-02T12:00:00Z' }) },
  issued_at_rolled_back: {
    'an older bundle than before': () => ({
      expected: { newestIssuedAt: new Date('2026-06-01T11:58:30.251Z') },
    }),
  },
  snapshot_missing: { 'no snapshot': () => signed({ evidence: undefined }) },
  digest_mismatch: {
    'another snapshot': () => signed({ evidence: { ...SNAPSHOT, version: 3 } }),
    'another digest': () => signed({ evidenceDigest: digestOf('something else') }),
  },
}
