import type { Vector } from '#contract/models'
import { issue, pem } from '../certificate.ts'
import { AUTHORITY, type Chain, chainOf, HOSTNAME, LEAF, usualChain } from '../chain.ts'
import { octetString } from '../der.ts'
import {
  basicConstraints,
  extension,
  keyUsage,
  type Name,
  nameConstraints,
  subjectNames,
} from '../extensions.ts'
import { keyOf } from '../keys.ts'
import { admitted, type Question, trusted } from '../vector.ts'

const usual = chainOf('p256')
const pems = usual.certificates.map((der) => pem(der))
const described = usualChain('p256')
const written = (rewrite: (der: Buffer) => string): Question => ({
  envelope: { certChain: usual.certificates.map(rewrite) },
})
const leafNames = (...names: Name[]): Question => ({
  chain: chainOf('p256', { leaf: { extensions: [subjectNames(...names), keyUsage('digitalSignature')] } }),
})
const constrained = (permitted: readonly Name[], excluded: readonly Name[] = []): Question => ({
  chain: chainOf('p256', {
    intermediate: { extensions: [...AUTHORITY, nameConstraints(permitted, excluded)] },
  }),
})
const leafWith = (oid: string, critical: boolean): Question => ({
  chain: chainOf('p256', {
    leaf: { extensions: [...LEAF, extension(oid, octetString(Buffer.of(1)), critical)] },
  }),
})

/** A chain of four, whose authorities allow just so many below them. */
export function chainOfFour(rootAllows: number, intermediateAllows: number, isSelfIssued = false): Chain {
  const second = keyOf('second', 'p256')
  const name = isSelfIssued ? 'Platform Intermediate' : 'Platform Issuer'
  const allowing = (number: number) => [basicConstraints(true, number), keyUsage('keyCertSign')]
  return {
    key: described.leaf.key,
    certificates: [
      issue({ ...described.leaf, issuer: name, signer: second }),
      issue({
        ...described.intermediate,
        subject: name,
        issuer: 'Platform Intermediate',
        key: second,
        signer: described.intermediate.key,
        extensions: allowing(0),
      }),
      issue({ ...described.intermediate, extensions: allowing(intermediateAllows) }),
      issue({ ...described.root, extensions: allowing(rootAllows) }),
    ],
  }
}

/** An intermediate that issued to itself, whose own name its root does not permit. */
function renewedOutside(): Chain {
  const chain = chainOfFour(9, 9, true)
  const second = keyOf('second', 'p256')
  const [leaf, , intermediate] = chain.certificates as [Buffer, Buffer, Buffer, Buffer]
  const renewed = issue({
    ...described.intermediate,
    issuer: 'Platform Intermediate',
    key: second,
    signer: described.intermediate.key,
    extensions: [...AUTHORITY, subjectNames(['dns', 'authority.test'])],
  })
  const root = issue({ ...described.root, extensions: [...AUTHORITY, nameConstraints([['dns', 'example']])] })
  return { key: chain.key, certificates: [leaf, renewed, intermediate, root] }
}

/** Keys of three kinds in one chain. */
function mixedChain(): Chain {
  const [rsa, p384, ed25519] = [keyOf('root', 'rsa'), keyOf('intermediate', 'p384'), keyOf('leaf', 'ed25519')]
  return {
    key: ed25519,
    certificates: [
      issue({ ...described.leaf, key: ed25519, signer: p384 }),
      issue({ ...described.intermediate, key: p384, signer: rsa }),
      issue({ ...described.root, key: rsa, signer: rsa }),
    ],
  }
}

function shortChain(): Chain {
  const { leaf, root } = described
  return {
    key: leaf.key,
    certificates: [issue({ ...leaf, issuer: 'Platform Root', signer: root.key }), issue(root)],
  }
}

const nameless = chainOf('p256', { leaf: { extensions: [keyUsage('digitalSignature')] } })

/** Chains that hold. */
export const goodChains: readonly Vector[] = [
  ...admitted('cert-chain', 'VRFY-08', {
    'keys-of-three-kinds': ['Keys of several kinds may stand in one chain', { chain: mixedChain() }],
    'chain-of-two': ['A root may issue the leaf itself', { chain: shortChain() }],
    'chain-of-four': ['A chain may have more than one intermediate', { chain: chainOfFour(9, 9) }],
  }),
  ...admitted('cert-chain', 'VRFY-06', {
    'first-second': [
      'In its first second a certificate is valid',
      {
        chain: chainOf('p256', { leaf: { notBefore: '2026-06-01T12:00:00Z' } }),
      },
    ],
    'last-second': [
      'In its last second a certificate is valid',
      {
        chain: chainOf('p256', { intermediate: { notAfter: '2026-06-01T12:00:00Z' } }),
      },
    ],
    'valid-beyond-2049': [
      'Years from 2050 on are written with four digits',
      {
        chain: chainOf('p256', { root: { notAfter: '2076-01-01T00:00:00Z' } }),
      },
    ],
  }),
  ...admitted('cert-chain', 'VRFY-07', {
    'exact-path-lengths': ['Path lengths that are just used up hold', { chain: chainOfFour(2, 1) }],
    'self-issued-not-counted': [
      'An authority that issued to itself does not lengthen the path',
      {
        chain: chainOfFour(1, 0, true),
      },
    ],
    'no-key-usage': [
      'An authority without a key usage may sign',
      {
        chain: chainOf('p256', { intermediate: { extensions: [basicConstraints(true)] } }),
      },
    ],
    'leaf-says-no-authority': [
      'A leaf may say that it is no authority',
      {
        chain: chainOf('p256', { leaf: { extensions: [...LEAF, basicConstraints(false)] } }),
      },
    ],
  }),
  ...admitted('cert-chain', 'VRFY-09', {
    'permitted-name': ['A name within what is permitted passes', constrained([['dns', 'example']])],
    'permitted-name-itself': ['A permitted name covers itself', constrained([['dns', HOSTNAME]])],
    'one-permitted-of-several': [
      'One of several permitted parts is enough',
      constrained([
        ['dns', 'test'],
        ['dns', 'example'],
      ]),
    ],
    'excluded-elsewhere': [
      'What is excluded elsewhere does not concern the name',
      constrained([], [['dns', 'other.example']]),
    ],
    'excluded-below': [
      'What is excluded below a name does not concern it',
      constrained([], [['dns', `a.${HOSTNAME}`]]),
    ],
    'self-issued-outside': [
      'The name of an authority that issued to itself is not constrained',
      { chain: renewedOutside() },
    ],
    'permitted-of-another-form': [
      'Constraints on another form of name do not concern this one',
      constrained([['ip', Buffer.of(10, 0, 0, 0, 255, 0, 0, 0)]]),
    ],
  }),
  ...admitted('cert-chain', 'VRFY-10', {
    'tee-extension-1337': [
      'The critical extension of the platforms’ hardware quote is known',
      leafWith('0.6.9.42.840.113741.1337.6', true),
    ],
    'tee-extension-8888': [
      'A critical extension of the platforms’ own arc is known',
      leafWith('1.3.6.1.3.8888.1', true),
    ],
    'unknown-extension': ['An unknown extension that is not critical is let be', leafWith('1.2.3.4', false)],
  }),
  ...admitted('cert-chain', 'VRFY-11', {
    'sha-384': [
      'A certificate may be signed over SHA-384',
      {
        kind: 'rsa',
        chain: chainOf('rsa', { leaf: { hash: 'sha384' }, intermediate: { hash: 'sha512' } }),
      },
    ],
    'rsa-pss': [
      'A certificate may be signed with RSA-PSS over SHA-256',
      {
        kind: 'rsa',
        chain: chainOf('rsa', { leaf: { pss: true } }),
      },
    ],
  }),
  ...admitted('cert-chain', 'VRFY-12', {
    'one-name-of-several': [
      'The hostname may be one of several',
      leafNames(['dns', 'other.example'], ['mail', 'a@b.example'], ['dns', HOSTNAME]),
    ],
    'name-in-capitals': [
      'The case of the letters of a name does not count',
      leafNames(['dns', 'ROUTER.Example']),
    ],
    wildcard: [
      'A wildcard covers one label',
      {
        ...leafNames(['dns', '*.router.example']),
        payload: { hostname: 'vm-1.router.example' },
        envelope: { hostname: 'vm-1.router.example' },
        expect: { hostname: 'vm-1.router.example' },
      },
    ],
    'nameless-under-exempt-root': [
      'Under a root whose leaves need no hostname, none is asked for',
      {
        chain: nameless,
        expect: { roots: [trusted(nameless.certificates[2]!, false)] },
        needs: ['nameless-leaves'],
      },
    ],
  }),
  ...admitted('cert-chain', 'BNDL-06', {
    'pem-in-one-line': [
      'The base64 of a PEM may stand in one line',
      written((der) => pem(der, { width: 10_000 })),
    ],
    'pem-with-windows-line-ends': [
      'The lines of a PEM may end as on Windows',
      written((der) => pem(der, { lineEnd: '\r\n' })),
    ],
    'pem-with-white-space-around': [
      'White space around a PEM changes nothing',
      { envelope: { certChain: pems.map((one) => `\n ${one} \n`) } },
    ],
  }),
]
