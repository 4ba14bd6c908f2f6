import type { Vector } from '#contract/models'
import { digest, envelopeOf, TLS_FINGERPRINT } from '../bundle.ts'
import { issue, pem } from '../certificate.ts'
import { chainOf, HOSTNAME, VALIDITY } from '../chain.ts'
import { subjectNames } from '../extensions.ts'
import { keyOf } from '../keys.ts'
import { admitted, malformed, refused } from '../vector.ts'

const other = keyOf('second', 'p256')
const otherLeaf = issue({
  ...VALIDITY,
  subject: HOSTNAME,
  issuer: HOSTNAME,
  key: other,
  signer: other,
  extensions: [subjectNames(['dns', HOSTNAME])],
})
const hex = Buffer.from(TLS_FINGERPRINT.slice('sha256/'.length), 'base64url').toString('hex')
const oneBitOff = `${hex.slice(0, -1)}${(Number.parseInt(hex.at(-1)!, 16) ^ 1).toString(16)}`
const signer = chainOf('p256').certificates[0]!
const unseen = { observed_leaf: null }
const asserted = { observed_leaf: null, accept_producer_asserted: true }
const needs = ['producer-asserted'] as const
const leafPem = String(envelopeOf().tlsLeaf)

/** Whether the connection is the one that was signed for. */
export const bindingVectors: readonly Vector[] = [
  ...admitted('tls-fingerprint', 'VRFY-20', {
    'observed-written-in-hex': [
      'What was seen may be told in another notation',
      {
        expect: { observed_leaf: `sha256:${hex}` },
      },
    ],
    'observed-beside-another-claim': [
      'What was seen counts, whatever the envelope shows as tlsLeaf',
      {
        envelope: { tlsLeaf: pem(otherLeaf) },
      },
    ],
  }),
  ...admitted('tls-fingerprint', ['VRFY-21', 'CMD-22'], {
    'producer-asserted': [
      'Where nobody looked and the producer’s word was declared enough, it is',
      { expect: asserted, needs },
    ],
  }),
  ...refused('tls-fingerprint', 'leaf_mismatch', 'VRFY-20', {
    'another-connection': [
      'Another certificate on the connection is refused, though the tlsLeaf is right',
      { expect: { observed_leaf: digest(otherLeaf) } },
    ],
    'one-bit-off': [
      'A fingerprint that differs in one bit is refused',
      { expect: { observed_leaf: oneBitOff } },
    ],
    'signer-on-the-connection': [
      'The certificate that signs is not the one of the connection',
      {
        expect: { observed_leaf: digest(signer) },
      },
    ],
    'key-instead-of-certificate': [
      'The hash of the key is not the hash of the certificate',
      {
        expect: { observed_leaf: digest(keyOf('tls', 'p256').spki) },
      },
    ],
  }),
  ...refused('tls-fingerprint', 'leaf_mismatch', 'VRFY-21', {
    'seen-and-asserted': [
      'Where somebody looked, the producer’s word counts for nothing',
      {
        expect: { observed_leaf: digest(otherLeaf), accept_producer_asserted: true },
        needs,
      },
    ],
    'asserted-another-leaf': [
      'A tlsLeaf that is not the signed one is refused',
      {
        envelope: { tlsLeaf: pem(otherLeaf) },
        expect: asserted,
        needs,
      },
    ],
    'asserted-garbage': [
      'A tlsLeaf that is no certificate is refused',
      { envelope: { tlsLeaf: 'x' }, expect: asserted, needs },
    ],
    'asserted-two-leaves': [
      'A tlsLeaf of two certificates is refused',
      {
        envelope: { tlsLeaf: leafPem + pem(otherLeaf) },
        expect: asserted,
        needs,
      },
    ],
  }),
  ...refused('tls-fingerprint', 'leaf_not_observed', ['VRFY-21', 'CMD-22'], {
    'nobody-looked': [
      'Without a look at the connection the producer’s word is not enough',
      { expect: unseen },
    ],
    'nobody-looked-nothing-shown': [
      'Without a look at the connection nothing is taken for granted',
      {
        envelope: { tlsLeaf: undefined },
        expect: unseen,
      },
    ],
    'nothing-asserted': [
      'Where the producer says nothing, there is no word to take',
      {
        envelope: { tlsLeaf: undefined },
        expect: asserted,
        needs,
      },
    ],
  }),
  ...malformed('tls-fingerprint', 'DIG-07', {
    'observed-is-no-digest': [
      'A request that tells something else than a digest of what was seen is no request',
      {
        expect: { observed_leaf: 'AB:CD' },
      },
    ],
  }),
]
