import { type CertificateRequest, issueCertificate } from './certificates.ts'
import { alternativeNames, basicConstraints, keyUsage } from './extensions.ts'
import { type Algorithm, type KeyPair, makeKeys } from './keys.ts'

/** The moment at which the tests take place. */
export const NOW = new Date('2026-06-01T12:00:00Z')
export const HOSTNAME = 'router.example'

/** A chain from its leaf to its root, with the key that the leaf is for. */
export interface TestChain {
  readonly certificates: readonly Buffer[]
  readonly keys: KeyPair
}

/** One place in a chain, counted from the leaf. */
export type Place = 'leaf' | 'intermediate' | 'root'

/** What shall differ from a good chain, by place. */
export type ChainChanges = Partial<Record<Place, Partial<CertificateRequest>>>

const signers = new Map<string, KeyPair>()
const chains = new Map<Algorithm, TestChain>()

/** A key pair that is made once for each name; making RSA keys takes its time. */
export function keysFor(name: string, algorithm: Algorithm = 'ES256'): KeyPair {
  const label = `${name} ${algorithm}`
  const keys = signers.get(label) ?? makeKeys(algorithm)
  signers.set(label, keys)
  return keys
}

/** A chain of three that holds, but for what is changed; all keys and signatures are of one algorithm. */
export function makeChain(changes: ChainChanges = {}, algorithm: Algorithm = 'ES256'): TestChain {
  const requests = requestsFor(algorithm)
  const made = (place: Place) => issueCertificate({ ...requests[place], ...changes[place] })
  const { keys } = { ...requests.leaf, ...changes.leaf }
  return { certificates: [made('leaf'), made('intermediate'), made('root')], keys }
}

/** The chain of one algorithm that holds; always the same one. */
export function goodChain(algorithm: Algorithm = 'ES256'): TestChain {
  const chain = chains.get(algorithm) ?? makeChain({}, algorithm)
  chains.set(algorithm, chain)
  return chain
}

/** What the certificates of a good chain say. */
export function requestsFor(algorithm: Algorithm): Record<Place, CertificateRequest> {
  const [leaf, intermediate, root] = ['leaf', 'intermediate', 'root'].map((name) =>
    keysFor(name, algorithm),
  ) as [KeyPair, KeyPair, KeyPair]
  const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') }
  const authority = [basicConstraints(true), keyUsage({ certSign: true })]
  return {
    leaf: {
      ...validity,
      subject: 'Signer',
      issuer: 'Intermediate',
      keys: leaf,
      signer: intermediate,
      extensions: [alternativeNames(['dns', HOSTNAME]), keyUsage({ certSign: false })],
    },
    intermediate: {
      ...validity,
      subject: 'Intermediate',
      issuer: 'Root',
      keys: intermediate,
      signer: root,
      extensions: authority,
    },
    root: { ...validity, subject: 'Root', issuer: 'Root', keys: root, signer: root, extensions: authority },
  }
}
