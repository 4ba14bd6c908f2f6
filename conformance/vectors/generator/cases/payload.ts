import type { Vector } from '#contract/models'
import { digest, PAYLOAD, SNAPSHOT, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from '../bundle.ts'
import { admitted, type Question, refused } from '../vector.ts'

const text = JSON.stringify(PAYLOAD)
const signed = (members: Readonly<Record<string, unknown>>): Question => ({ payload: members })
const without = (name: string): Question => signed({ [name]: undefined })
const first = (member: string): Question => ({ payloadText: text.replace('{', `{${member},`) })
/** A snapshot that is written otherwise than it was, under the digest of the usual one. */
const invalid = Buffer.concat([
  Buffer.from('{"more":"'),
  Buffer.of(0xff),
  Buffer.from(`"${text.replace('{', ',')}`),
])

/** The usual deployment, but that its upstream writes logs. */
const LOGGING_SNAPSHOT = {
  ...SNAPSHOT,
  resources: SNAPSHOT.resources.map((one) => ({ ...one, configuration: { upstreamLogging: 'on' } })),
}

/** What is signed, and how it agrees with the envelope. */
export const payloadVectors: readonly Vector[] = [
  ...admitted('jws', ['VRFY-15', 'BNDL-18'], {
    'unknown-signed-members': ['Signed members that nobody knows are let be', signed({ more: { a: 1 } })],
    'payload-with-white-space': [
      'A payload may hold white space',
      { payloadText: JSON.stringify(PAYLOAD, null, 2) },
    ],
  }),
  ...admitted('jws', 'VRFY-18', {
    'signed-version-as-text': [
      'The signed version "1" and the envelope’s 1 are the same',
      signed({ version: '1' }),
    ],
    'envelope-version-as-text': [
      'The envelope’s version "1" and the signed 1 are the same',
      { envelope: { version: '1' } },
    ],
  }),
  ...refused('jws', 'payload_malformed', 'VRFY-15', {
    'payload-is-no-json': [
      'A payload that is no JSON is refused',
      { payloadText: 'evidence', isHopeless: true },
    ],
    'payload-is-an-array': [
      'A payload that is no object is refused',
      { payloadText: `[${text}]`, isHopeless: true },
    ],
    'payload-is-empty': ['An empty payload is refused', { payloadText: '', isHopeless: true }],
    'payload-with-more-behind': [
      'A payload with something behind it is refused',
      { payloadText: `${text}{}`, isHopeless: true },
    ],
    'payload-with-byte-order-mark': [
      'A payload with a byte order mark is refused',
      { payloadText: `\ufeff${text}` },
    ],
    'payload-is-no-utf-8': ['A payload that is no UTF-8 is refused', { payloadText: invalid }],
    'payload-without-version': ['A payload without version is refused', without('version')],
    'payload-without-kind': ['A payload without kind is refused', without('kind')],
    'payload-without-hostname': ['A payload without hostname is refused', without('hostname')],
    'payload-without-issued-at': ['A payload without issuedAt is refused', without('issuedAt')],
    'payload-without-fingerprint': [
      'A payload without certFingerprint is refused',
      without('certFingerprint'),
    ],
    'payload-without-digest': ['A payload without evidenceDigest is refused', without('evidenceDigest')],
    'payload-issued-on-no-day': [
      'A signed time that does not exist is refused',
      signed({ issuedAt: '2026-02-30T12:00:00Z' }),
    ],
    'payload-digest-stray-bit': [
      'A signed digest with a stray last bit is refused',
      signed({ evidenceDigest: `sha256/${'A'.repeat(42)}B` }),
    ],
    'payload-digest-in-hex': [
      'A signed digest in another form than that of the wire is refused',
      signed({
        evidenceDigest: `sha256:${Buffer.from(SNAPSHOT_DIGEST.slice(7), 'base64url').toString('hex')}`,
      }),
    ],
    'payload-version-true': [
      'A signed version that is neither number nor text is refused',
      signed({ version: true }),
    ],
    'payload-deep-nesting': [
      'A payload that nests without end is refused',
      first(`"more":${'['.repeat(2_000)}${']'.repeat(2_000)}`),
    ],
    'payload-lone-surrogate': ['Half a character in a payload is refused', first('"more":"\\udc00"')],
  }),
  ...refused('jws', 'payload_malformed', 'BNDL-21', {
    'snapshot-is-a-text': [
      'A snapshot that is a text is refused',
      { ...signed({ evidence: 'x', evidenceDigest: digest('"x"') }), expect: { pins: [digest('"x"')] } },
    ],
    'snapshot-is-an-array': [
      'A snapshot that is an array is refused',
      { ...signed({ evidence: [], evidenceDigest: digest('[]') }), expect: { pins: [digest('[]')] } },
    ],
    'snapshot-is-null': [
      'A snapshot that is null is refused',
      { ...signed({ evidence: null, evidenceDigest: digest('null') }), expect: { pins: [digest('null')] } },
    ],
  }),
  ...refused('jws', 'payload_malformed', 'BNDL-24', {
    'integer-beyond': ['An integer beyond 2^53 in a payload is refused', first('"more":9007199254740993')],
    'integer-below': ['An integer below -2^53 in a payload is refused', first('"more":-9007199254740993')],
    'number-beyond-all': ['A number that no reader can hold is refused', first('"more":1e400')],
  }),
  ...refused('jws', 'duplicate_key', 'BNDL-24', {
    'signed-twice': [
      'A payload with a member twice is refused, whichever of them is right',
      first('"hostname":"other.example"'),
    ],
    'signed-twice-escaped': [
      'A payload with a member twice is refused, however it is spelled',
      first('"host\\u006eame":"other.example"'),
    ],
    'signed-twice-alike': ['A member twice is refused even when both are the same', first('"version":1')],
    'signed-twice-in-the-snapshot': [
      'A name twice in the snapshot is refused',
      {
        payloadText: text.replace('"replicas":2', '"replicas":3,"replicas":2'),
      },
    ],
    'signed-twice-digest': ['Two digests are refused', first(`"evidenceDigest":"${digest('another')}"`)],
  }),
  ...refused('jws', 'kind_mismatch', 'VRFY-15', {
    'signed-kind': ['A signature over another kind is refused', signed({ kind: 'ImageEvidence' })],
  }),
  ...refused('jws', 'hostname_mismatch', 'VRFY-15', {
    'signed-for-another': [
      'A signature for another hostname is refused',
      signed({ hostname: 'other.example' }),
    ],
    'signed-for-it-in-capitals': [
      'A signature whose hostname differs from the envelope’s in the case of its letters is refused',
      signed({ hostname: 'Router.Example' }),
    ],
    'signed-for-one-below': [
      'A signature for a hostname below is refused',
      signed({ hostname: 'a.router.example' }),
    ],
  }),
  ...refused('jws', 'envelope_mismatch', ['VRFY-18', 'CMD-24'], {
    'signed-version': ['A signature over version 2 is refused', signed({ version: 2 })],
    'envelope-issued-later': [
      'An envelope that says it was signed later is refused',
      {
        envelope: { issuedAt: '2026-06-01T11:59:30.250Z' },
      },
    ],
    'envelope-another-fingerprint': [
      'An envelope with another fingerprint is refused',
      {
        envelope: { certFingerprint: SNAPSHOT_DIGEST },
      },
    ],
    'signed-another-fingerprint': [
      'An envelope whose fingerprint was not signed is refused',
      {
        ...signed({ certFingerprint: digest('another leaf') }),
        envelope: { certFingerprint: TLS_FINGERPRINT },
        expect: { observed_leaf: digest('another leaf') },
      },
    ],
  }),
  ...refused('jws', 'snapshot_missing', 'BNDL-21', {
    'no-snapshot': [
      'A payload without a snapshot is refused, though its digest is pinned',
      without('evidence'),
    ],
  }),
  ...refused('jws', 'digest_mismatch', ['VRFY-19', 'BNDL-25'], {
    'another-snapshot': [
      'A pinned digest beside another snapshot is refused',
      { kind: 'rsa', ...signed({ evidence: LOGGING_SNAPSHOT }) },
    ],
    'snapshot-with-one-more': [
      'A pinned digest beside a snapshot with one resource more is refused',
      signed({
        evidence: { ...SNAPSHOT, resources: [...SNAPSHOT.resources, { kind: 'Secret' }] },
      }),
    ],
    'empty-snapshot': ['A pinned digest beside an empty snapshot is refused', signed({ evidence: {} })],
    'another-digest': [
      'A digest of something else is refused, though it is pinned',
      {
        ...signed({ evidenceDigest: digest('something else') }),
        expect: { pins: [digest('something else')] },
      },
    ],
  }),
]
