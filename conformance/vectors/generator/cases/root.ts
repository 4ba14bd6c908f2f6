import type { Vector } from '#contract/models'
import { issue } from '../certificate.ts'
import { chainOf, usualChain } from '../chain.ts'
import { keyOf, kinds } from '../keys.ts'
import { admitted, refused, trusted } from '../vector.ts'

const usual = chainOf('p256')
const [leaf, intermediate, root] = usual.certificates as [Buffer, Buffer, Buffer]
const { root: description } = usualChain('p256')
const stranger = keyOf('stranger', 'p256')
const foreign = issue({
  ...description,
  subject: 'Foreign Root',
  issuer: 'Foreign Root',
  key: stranger,
  signer: stranger,
})
const namesake = issue({ ...description, key: stranger, signer: stranger })
const renewed = issue({ ...description, serial: 2 })

/** Whose root it is. */
export const rootVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-13', {
    'one-of-several': [
      'A root that is one of several trusted ones is accepted',
      {
        expect: { roots: [trusted(foreign), trusted(root), trusted(namesake)] },
      },
    ],
  }),
  ...refused('untrusted-root', 'root_not_trusted', 'VRFY-13', {
    'foreign-root': [
      'A chain that ends at a root nobody trusts is refused',
      { expect: { roots: [trusted(foreign)] } },
    ],
    'root-of-the-same-name': [
      'A trusted root of the same name with another key is another root',
      {
        expect: { roots: [trusted(namesake)] },
      },
    ],
    'renewed-root': [
      'A trusted root of the same name and key, but of other bytes, is another root',
      {
        expect: { roots: [trusted(renewed)] },
      },
    ],
    'intermediate-trusted': [
      'A trusted intermediate does not stand in for the root',
      {
        expect: { roots: [trusted(intermediate)] },
      },
    ],
    'leaf-trusted': ['A trusted leaf does not stand in for the root', { expect: { roots: [trusted(leaf)] } }],
    ...Object.fromEntries(
      kinds
        .filter((kind) => kind !== 'p256')
        .map((kind) => [
          `foreign-root-${kind}`,
          [
            `A whole chain of ${kind} under a foreign root is refused`,
            { kind, expect: { roots: [trusted(root)] } },
          ] as const,
        ]),
    ),
  }),
  ...refused('untrusted-root', 'no_trusted_roots', 'VRFY-13', {
    'empty-store': ['An empty trust store denies everything', { expect: { roots: [] } }],
  }),
]
