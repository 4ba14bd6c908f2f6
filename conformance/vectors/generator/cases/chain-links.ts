import type { Vector } from '#contract/models'
import { ALGORITHMS } from '../bundle.ts'
import { issue, pem, rsaAlgorithm } from '../certificate.ts'
import { chainOf, HOSTNAME, usualChain } from '../chain.ts'
import { type Kind, keyOf, kinds } from '../keys.ts'
import { type Question, type Questions, refused, trusted } from '../vector.ts'

const usual = chainOf('p256')
const described = usualChain('p256')
const [leaf, intermediate, root] = usual.certificates as [Buffer, Buffer, Buffer]
const stranger = keyOf('stranger', 'p256')
const ordered = (...certificates: Buffer[]): Question => ({
  envelope: { certChain: certificates.map((der) => pem(der)) },
})
const past = { notBefore: '2025-01-01T00:00:00Z', notAfter: '2026-06-01T11:59:59Z' }
const future = { notBefore: '2026-06-01T12:00:01Z', notAfter: '2027-01-01T00:00:00Z' }
const places = ['leaf', 'intermediate', 'root'] as const

/** A chain that a stranger made under the names of the platform, ending at its real root. */
function forged(kind: Kind): Question {
  const { leaf, intermediate } = usualChain(kind)
  const key = keyOf('stranger', kind)
  const certificates = [
    issue({ ...leaf, key, signer: key }),
    issue({ ...intermediate, key, signer: key }),
    chainOf(kind).certificates[2]!,
  ]
  return { kind, chain: { key, certificates } }
}

function forEachKind(slug: string, title: string, make: (kind: Kind) => Question): Questions {
  return Object.fromEntries(
    kinds.map((kind) => [`${slug}-${kind}`, [title.replace('%s', ALGORITHMS[kind]), make(kind)] as const]),
  )
}

function atEachPlace(slug: string, title: string, validity: object): Questions {
  return Object.fromEntries(
    places.map((place) => [
      `${slug}-${place}`,
      [title.replace('%s', place), { chain: chainOf('p256', { [place]: validity }) }] as const,
    ]),
  )
}

/** When the certificates are valid, and how each stands under the next. */
export const linkVectors: readonly Vector[] = [
  ...refused('cert-chain', 'certificate_expired', 'VRFY-06', {
    ...atEachPlace('expired', 'A chain whose %s expired a second ago is refused', past),
    'expired-by-a-millisecond': [
      'A millisecond after its last second a certificate has expired',
      {
        chain: chainOf('p256', { leaf: { notAfter: '2026-06-01T12:00:00Z' } }),
        expect: { now: '2026-06-01T12:00:00.001Z' },
      },
    ],
  }),
  ...refused('cert-chain', 'certificate_not_yet_valid', 'VRFY-06', {
    ...atEachPlace('not-yet-valid', 'A chain whose %s is not valid for another second is refused', future),
    'not-yet-valid-by-a-millisecond': [
      'A millisecond before its first second a certificate is not valid yet',
      {
        chain: chainOf('p256', { leaf: { notBefore: '2026-06-01T12:00:00Z' } }),
        expect: { now: '2026-06-01T11:59:59.999Z' },
      },
    ],
  }),
  ...refused('cert-chain', 'issuer_mismatch', 'VRFY-08', {
    'another-issuer-named': [
      'A leaf that names another issuer is refused, though the next one signed it',
      {
        chain: chainOf('p256', { leaf: { issuer: 'Another Intermediate' } }),
      },
    ],
    'another-root-named': [
      'An intermediate that names another root is refused',
      {
        chain: chainOf('p256', { intermediate: { issuer: 'Another Root' } }),
      },
    ],
    'intermediate-left-out': ['A chain without its intermediate is refused', ordered(leaf, root)],
    'out-of-order': [
      'A chain out of order is refused',
      { ...ordered(leaf, root, intermediate), isHopeless: true },
    ],
    'intermediate-twice': [
      'A chain with a certificate twice is refused',
      ordered(leaf, intermediate, intermediate, root),
    ],
    'stranger-between': [
      'A stranger between intermediate and root is refused',
      ordered(
        leaf,
        intermediate,
        issue({
          ...described.root,
          subject: 'Foreign Root',
          issuer: 'Foreign Root',
          key: stranger,
          signer: stranger,
        }),
        root,
      ),
    ],
  }),
  ...refused('cert-chain', 'signature_invalid', 'VRFY-08', {
    ...forEachKind(
      'forged-issuer',
      'A forged issuer of the same name with a key of its own is refused (%s)',
      forged,
    ),
    ...forEachKind(
      'leaf-bit-flipped',
      'A leaf whose signature has one bit flipped is refused (%s)',
      (kind) => ({
        kind,
        chain: chainOf(kind, {
          leaf: {
            spoil: (made) =>
              made.map((byte, index) => (index === made.length - 1 ? byte ^ 1 : byte)) as Buffer,
          },
        }),
      }),
    ),
    'leaf-signed-by-a-stranger': [
      'A leaf that a stranger signed is refused',
      {
        chain: chainOf('p256', { leaf: { signer: stranger } }),
      },
    ],
    'leaf-signed-with-another-kind-of-key': [
      'A leaf that was signed with another kind of key is refused',
      {
        chain: chainOf('p256', { leaf: { signer: keyOf('stranger', 'rsa') } }),
      },
    ],
    'intermediate-signed-by-a-stranger': [
      'An intermediate that a stranger signed is refused',
      {
        chain: chainOf('p256', { intermediate: { signer: stranger } }),
      },
    ],
    'leaf-signed-by-the-root': [
      'A leaf that the root signed, not the intermediate, is refused',
      {
        chain: chainOf('p256', { leaf: { signer: described.root.key } }),
      },
    ],
    'leaf-signed-by-itself': [
      'A leaf that signed itself under the intermediate’s name is refused',
      {
        chain: chainOf('p256', { leaf: { signer: described.leaf.key } }),
      },
    ],
    'spliced-chain': [
      'A leaf of one chain on the authorities of another of the same names is refused',
      {
        chain: {
          key: keyOf('leaf', 'p384'),
          certificates: [chainOf('p384').certificates[0]!, intermediate, root],
        },
      },
    ],
    'name-exchanged': [
      'A leaf whose name was exchanged after it was signed is refused',
      {
        chain: chainOf('p256', {
          leaf: {
            tamper: (signed) =>
              Buffer.from(signed.toString('latin1').replace('Evidence', 'Evidens2'), 'latin1'),
          },
        }),
      },
    ],
    'algorithm-named-otherwise': [
      'A certificate that names two algorithms is refused',
      {
        chain: chainOf('p256', { leaf: { outerAlgorithm: rsaAlgorithm('sha256') } }),
      },
    ],
  }),
  ...refused('cert-chain', 'not_self_signed_root', 'VRFY-08', {
    'root-left-out': [
      'A chain without its root is refused, though the intermediate is trusted',
      {
        ...ordered(leaf, intermediate),
        expect: { roots: [trusted(intermediate)] },
      },
    ],
    'leaf-alone': [
      'A leaf alone is refused, though it is trusted',
      { ...ordered(leaf), expect: { roots: [trusted(leaf)] } },
    ],
    'root-signed-by-a-stranger': [
      'A root that names itself, but was signed by a stranger, is refused',
      {
        chain: chainOf('p256', { root: { signer: stranger } }),
      },
    ],
    'root-signed-with-another-kind-of-key': [
      'A root that was signed with another kind of key is refused',
      {
        chain: chainOf('p256', { root: { signer: keyOf('stranger', 'ed25519') } }),
      },
    ],
    'root-issued-by-another': [
      'A root that another authority issued is refused, though it is trusted',
      {
        chain: chainOf('p256', { root: { issuer: `Authority above ${HOSTNAME}` } }),
      },
    ],
  }),
]
