import { type Certificate, issue } from './certificate.ts'
import { basicConstraints, keyUsage, subjectNames } from './extensions.ts'
import { type Kind, keyOf, type TestKey } from './keys.ts'

/** The hostname that all vectors are about, unless they say otherwise. */
export const HOSTNAME = 'router.example'

/** The moment at which all vectors take place, unless they say otherwise. */
export const NOW = '2026-06-01T12:00:00Z'

/** Certificates from the one that signs bundles to its root, and the key that the first is for. */
export interface Chain {
  readonly certificates: readonly Buffer[]
  readonly key: TestKey
}

/** What differs from the usual chain of three. */
export interface ChainChanges {
  readonly leaf?: Partial<Certificate>
  readonly intermediate?: Partial<Certificate>
  readonly root?: Partial<Certificate>
}

/** What an authority may say of itself. */
export const AUTHORITY = [basicConstraints(true), keyUsage('keyCertSign', 'cRLSign')]

/** What a leaf says of itself. */
export const LEAF = [subjectNames(['dns', HOSTNAME]), keyUsage('digitalSignature')]

/** How long every certificate is valid. */
export const VALIDITY = { notBefore: '2026-01-01T00:00:00Z', notAfter: '2027-01-01T00:00:00Z' } as const

/** A chain of leaf, intermediate and root whose keys are all of one kind, but for what is changed. */
export function chainOf(kind: Kind, { leaf, intermediate, root }: ChainChanges = {}): Chain {
  const usual = usualChain(kind)
  const first = { ...usual.leaf, ...leaf }
  return {
    certificates: [
      issue(first),
      issue({ ...usual.intermediate, ...intermediate }),
      issue({ ...usual.root, ...root }),
    ],
    key: first.key,
  }
}

/** What the certificates of the usual chain say. */
export function usualChain(kind: Kind): Required<Record<keyof ChainChanges, Certificate>> {
  const [leaf, intermediate, root] = [
    keyOf('leaf', kind),
    keyOf('intermediate', kind),
    keyOf('root', kind),
  ] as const
  return {
    leaf: {
      ...VALIDITY,
      subject: 'Evidence Signer',
      issuer: 'Platform Intermediate',
      key: leaf,
      signer: intermediate,
      extensions: LEAF,
    },
    intermediate: {
      ...VALIDITY,
      subject: 'Platform Intermediate',
      issuer: 'Platform Root',
      key: intermediate,
      signer: root,
      extensions: AUTHORITY,
    },
    root: {
      ...VALIDITY,
      subject: 'Platform Root',
      issuer: 'Platform Root',
      key: root,
      signer: root,
      extensions: AUTHORITY,
    },
  }
}
