import type { Vector } from '#contract/models'
import { issue, pem } from '../certificate.ts'
import { AUTHORITY, type Chain, chainOf, HOSTNAME, LEAF, usualChain } from '../chain.ts'
import { bitString, int, nil, objectId, octetString, seq } from '../der.ts'
import { extension, keyUsage, type Name, nameConstraints, subjectNames } from '../extensions.ts'
import { keyOf } from '../keys.ts'
import { admitted, type Question, refused } from '../vector.ts'
import { intermediateSays, leafSays } from './chain-says.ts'

// The bounds of the contract, written again: who makes the vectors shares nothing with who is asked.
const CERTIFICATES = 8
const NAMES = 200
const SUBTREES = 200
const EXTENSIONS = 64
const BYTES = 65_536
const RSA_BITS = 8_192n

const described = usualChain('p256')
const hosts = (count: number): Name[] =>
  Array.from({ length: count }, (_, index) => ['dns', `n${index}.test`] as const)
const leafWithNames = (count: number): Question =>
  leafSays(subjectNames(['dns', HOSTNAME], ...hosts(count - 1)), keyUsage('digitalSignature'))
const withSubtrees = (permitted: number, excluded: number): Question =>
  intermediateSays(
    ...AUTHORITY,
    nameConstraints([['dns', HOSTNAME], ...hosts(permitted - 1)], hosts(excluded)),
  )

/** A leaf with just so many extensions, two of which every certificate here has. */
function leafWithExtensions(count: number): Question {
  const more = Array.from({ length: count - LEAF.length - 2 }, (_, index) =>
    extension(`1.2.3.${index}`, nil(), false),
  )
  return leafSays(...LEAF, ...more)
}

/** A chain of any length, whose authorities have two keys in turn. */
function chainOfLength(length: number): Chain {
  const keys = [described.intermediate.key, keyOf('second', 'p256')]
  const name = (height: number) => (height === length - 2 ? 'Platform Intermediate' : `Issuer ${height}`)
  const above = (height: number) =>
    height === length - 1
      ? { issuer: 'Platform Root', signer: described.root.key }
      : { issuer: name(height), signer: keys[height % 2]! }
  const between = Array.from({ length: length - 2 }, (_, index) =>
    issue({
      ...described.intermediate,
      subject: name(index + 1),
      key: keys[(index + 1) % 2]!,
      ...above(index + 2),
    }),
  )
  return {
    key: described.leaf.key,
    certificates: [issue({ ...described.leaf, ...above(1) }), ...between, issue(described.root)],
  }
}

/** A chain whose intermediate has just so many bytes, most of them in an extension that says nothing. */
function chainOfSize(bytes: number): Question {
  const padded = (size: number): Chain =>
    chainOf('p256', {
      intermediate: {
        extensions: [...AUTHORITY, extension('1.2.3.4', octetString(Buffer.alloc(size)), false)],
      },
    })
  const sizeOf = ({ certificates }: Chain) => certificates[1]!.length
  const guess = 2 * bytes - 1_000 - sizeOf(padded(bytes - 1_000))
  // A signature on a curve may have a few bytes more or less.
  const sizes = Array.from({ length: 17 }, (_, index) => guess + index - 8)
  const chain = sizes.map(padded).find((one) => sizeOf(one) === bytes)!
  // In one line, which the corpus writes once for all its letters.
  return { chain, envelope: { certChain: chain.certificates.map((der) => pem(der, { width: 2 * bytes })) } }
}

/** A leaf for an RSA key that nobody has: a modulus of so many bits, and an exponent. */
function leafForRsa(bits: bigint, exponent: bigint): Question {
  const key = bitString(seq(int((1n << (bits - 1n)) + 1n), int(exponent)))
  const spki = seq(seq(objectId('1.2.840.113549.1.1.1'), nil()), key)
  return { chain: chainOf('p256', { leaf: { spki } }), isHopeless: true }
}

function longRoot(): Question {
  const { leaf, intermediate, root } = usualChain('rsa')
  const long = keyOf('long', 'rsa')
  const certificates = [
    issue(leaf),
    issue({ ...intermediate, signer: long }),
    issue({ ...root, key: long, signer: long }),
  ]
  return { kind: 'rsa', chain: { key: leaf.key, certificates } }
}

/** How much there may be of a chain: each bound, and one beyond it. */
export const sizeVectors: readonly Vector[] = [
  ...admitted('cert-chain', 'VRFY-24', {
    'eight-certificates': ['A chain of eight certificates is read', { chain: chainOfLength(CERTIFICATES) }],
    'two-hundred-names': ['A certificate with 200 names is read', leafWithNames(NAMES)],
    'two-hundred-constraints': [
      'An authority with 200 name constraints is read',
      withSubtrees(SUBTREES / 2, SUBTREES / 2),
    ],
    'sixty-four-extensions': ['A certificate with 64 extensions is read', leafWithExtensions(EXTENSIONS)],
    'certificate-of-64-kib': ['A certificate of 64 KiB is read', chainOfSize(BYTES)],
    'rsa-8192': ['An RSA key of 8192 bits is read', longRoot()],
  }),
  ...refused('cert-chain', 'too_complex', 'VRFY-24', {
    'nine-certificates': [
      'A chain of nine certificates is refused',
      { chain: chainOfLength(CERTIFICATES + 1) },
    ],
    'one-name-too-many': ['A certificate with 201 names is refused', leafWithNames(NAMES + 1)],
    'one-name-too-many-above': [
      'An intermediate with 201 names is refused',
      intermediateSays(...AUTHORITY, subjectNames(...hosts(NAMES + 1))),
    ],
    'one-constraint-too-many': [
      'Permitted and excluded constraints are counted together',
      withSubtrees(SUBTREES / 2, SUBTREES / 2 + 1),
    ],
    'one-extension-too-many': [
      'A certificate with 65 extensions is refused',
      { ...leafWithExtensions(EXTENSIONS + 1), isHopeless: true },
    ],
    'certificate-beyond-64-kib': [
      'A certificate of one byte more than 64 KiB is refused',
      chainOfSize(BYTES + 1),
    ],
    'rsa-8193': ['An RSA key of 8193 bits is refused', leafForRsa(RSA_BITS + 1n, 65_537n)],
    'rsa-with-a-large-exponent': [
      'An RSA key whose exponent is larger than 32 bits is refused',
      leafForRsa(2_048n, (1n << 32n) + 1n),
    ],
    'too-many-in-a-strange-chain': [
      'A chain that is too long is refused before its root is looked for',
      {
        envelope: { certChain: Array.from({ length: 100 }, () => pem(chainOf('p384').certificates[0]!)) },
        isHopeless: true,
      },
    ],
  }),
]
