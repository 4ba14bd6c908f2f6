import { digest, SNAPSHOT, SNAPSHOT_DIGEST } from '../generator/bundle.ts'
import { issue, pem } from '../generator/certificate.ts'
import { AUTHORITY, HOSTNAME, LEAF, usualChain } from '../generator/chain.ts'
import { nil } from '../generator/der.ts'
import {
  basicConstraints,
  extension,
  keyUsage,
  nameConstraints,
  subjectNames,
} from '../generator/extensions.ts'
import { keyOf, shortCurve } from '../generator/keys.ts'
import { type Question, trusted } from '../generator/vector.ts'
import type { Moment } from './moment.ts'

/** What differs from a bundle that is admitted, at any moment. */
type Row = (moment: Moment) => Question

const stranger = keyOf('stranger', 'p256')
const MEBIBYTE = 1_048_576
const NAMES = 200
const DAY_MS = 86_400_000
const LONG_AGO_MS = 516.5 * DAY_MS
const signedAt = (issuedAt: string): Question => ({ payload: { issuedAt }, envelope: { issuedAt } })

/** The one that is admitted. */
export const ADMITTED = 'jws/signed-with-p256'

/**
 * One vector for each stage and reason, by its id, written so that it can take place at any moment: a running proxy is
 * served it. A test holds each to the vector of the corpus.
 */
export const rows: Readonly<Record<string, Row>> = {
  [ADMITTED]: () => ({ s: 'low' }),

  'fetch/status-404': () => ({ status: 404 }),
  'fetch/status-302': () => ({ status: 302 }),
  'fetch/one-byte-over': ({ text }) => ({
    raw: [{ text }, { text: ' ', times: MEBIBYTE - Buffer.byteLength(text) + 1 }],
  }),
  'fetch/byte-order-mark': ({ text }) => ({
    raw: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(text)]),
  }),
  'fetch/member-twice': ({ text }) => ({ raw: text.replace('{', '{"hostname":"other.example",') }),
  'fetch/version-2': () => ({ envelope: { version: 2 } }),
  'fetch/another-kind': () => ({ envelope: { kind: 'ImageEvidence' } }),
  'fetch/another-hostname': () => ({
    payload: { hostname: 'other.example' },
    envelope: { hostname: 'other.example' },
  }),

  'cert-chain/byte-behind-the-leaf': ({ chain: { certificates } }) => {
    const [leaf, ...above] = certificates as [Buffer, ...Buffer[]]
    return { envelope: { certChain: [Buffer.concat([leaf, Buffer.of(0)]), ...above].map((der) => pem(der)) } }
  },
  'cert-chain/expired-leaf': ({ chainWith, at, marginMs }) => ({
    chain: chainWith({ leaf: { notBefore: at(-LONG_AGO_MS), notAfter: at(-marginMs) } }),
  }),
  'cert-chain/not-yet-valid-leaf': ({ chainWith, at, marginMs }) => ({
    chain: chainWith({ leaf: { notBefore: at(marginMs) } }),
  }),
  'cert-chain/another-issuer-named': ({ chainWith }) => ({
    chain: chainWith({ leaf: { issuer: 'Another Intermediate' } }),
  }),
  'cert-chain/leaf-signed-by-a-stranger': ({ chainWith }) => ({
    chain: chainWith({ leaf: { signer: stranger } }),
  }),
  'cert-chain/root-signed-by-a-stranger': ({ chainWith }) => ({
    chain: chainWith({ root: { signer: stranger } }),
  }),
  'cert-chain/issuer-is-no-authority': ({ chainWith }) => ({
    chain: chainWith({ intermediate: { extensions: [basicConstraints(false), keyUsage('keyCertSign')] } }),
  }),
  'cert-chain/root-allows-none': ({ chainWith }) => ({
    chain: chainWith({ root: { extensions: [basicConstraints(true, 0), keyUsage('keyCertSign')] } }),
  }),
  'cert-chain/intermediate-may-not-sign': ({ chainWith }) => ({
    chain: chainWith({
      intermediate: { extensions: [basicConstraints(true), keyUsage('digitalSignature')] },
    }),
  }),
  'cert-chain/name-excluded': ({ chainWith }) => ({
    chain: chainWith({
      intermediate: { extensions: [...AUTHORITY, nameConstraints([], [['dns', HOSTNAME]])] },
    }),
  }),
  'cert-chain/unknown-in-the-leaf': ({ chainWith }) => ({
    chain: chainWith({ leaf: { extensions: [...LEAF, extension('1.2.3.4', nil())] } }),
  }),
  'cert-chain/short-curve': ({ chainWith }) => ({ chain: chainWith({ leaf: { spki: shortCurve() } }) }),
  'cert-chain/sha-1-leaf-on-a-curve': ({ chainWith }) => ({ chain: chainWith({ leaf: { hash: 'sha1' } }) }),
  'cert-chain/leaf-of-another-host': ({ chainWith }) => ({
    chain: chainWith({
      leaf: { extensions: [subjectNames(['dns', 'other.example']), keyUsage('digitalSignature')] },
    }),
  }),
  'cert-chain/one-name-too-many': ({ chainWith }) => {
    const more = Array.from({ length: NAMES }, (_, index) => ['dns', `n${index}.test`] as const)
    const names = subjectNames(['dns', HOSTNAME], ...more)
    return { chain: chainWith({ leaf: { extensions: [names, keyUsage('digitalSignature')] } }) }
  },

  'untrusted-root/foreign-root': ({ validity }) => {
    const name = 'Foreign Root'
    const { root } = usualChain('p256')
    const foreign = issue({
      ...root,
      ...validity,
      subject: name,
      issuer: name,
      key: stranger,
      signer: stranger,
    })
    return { expect: { roots: [trusted(foreign)] } }
  },

  'jws/four-parts': () => ({ rewrite: (jws) => `${jws}.e30` }),
  'jws/alg-none': () => ({ header: { alg: 'none' }, spoil: () => Buffer.alloc(0) }),
  'jws/es384-over-p256': () => ({ header: { alg: 'ES384' } }),
  'jws/crit-unknown': () => ({ header: { crit: ['exp'], exp: 1 } }),
  'jws/signature-bit-flipped-p256': () => ({
    spoil: (made) => made.map((byte, index) => (index === 10 ? byte ^ 1 : byte)) as Buffer,
  }),
  'jws/signed-twice': ({ payload }) => ({
    payloadText: JSON.stringify(payload).replace('{', '{"hostname":"other.example",'),
  }),
  'jws/payload-without-digest': () => ({ payload: { evidenceDigest: undefined } }),
  'jws/signed-kind': () => ({ payload: { kind: 'ImageEvidence' } }),
  'jws/signed-for-another': () => ({ payload: { hostname: 'other.example' } }),
  'jws/years-old': () => signedAt('2020-01-01T00:00:00Z'),
  'jws/tomorrow': ({ at }) => signedAt(at(DAY_MS)),
  'jws/an-hour-back': ({ now }) => ({ expect: { newest_issued_at: now } }),
  'jws/envelope-another-fingerprint': () => ({ envelope: { certFingerprint: SNAPSHOT_DIGEST } }),
  'jws/no-snapshot': () => ({ payload: { evidence: undefined } }),
  'jws/snapshot-with-one-more': () => ({
    payload: { evidence: { ...SNAPSHOT, resources: [...SNAPSHOT.resources, { kind: 'Secret' }] } },
  }),

  'tls-fingerprint/another-connection': ({ otherLeaf }) => ({
    expect: { observed_leaf: otherLeaf.fingerprint },
  }),

  'policy/another-pin': () => ({ expect: { pins: [digest('another deployment')] } }),
  'policy/policy-asks-for-what-is-absent': () => ({ expect: { policies: ['evidence.attested == true'] } }),
  'policy/policy-says-no': () => ({
    expect: { policies: ['evidence.resources.all(r, r.kind == "Secret")'] },
  }),
}
