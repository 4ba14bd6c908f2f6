import { limits } from '#contract/limits'
import { areAuthorities } from './authority.ts'
import { type Certificate, type Chain, isSelfIssued } from './certificate.ts'
import { keepToConstraints } from './constraints.ts'
import { AttestationError, readOrRefuse } from './errors.ts'
import { haveKnownExtensions } from './extensions.ts'
import { coversHostname } from './hostname.ts'
import { dnsNamesOf } from './names.ts'
import { areOfReadSize, parseEntry } from './size.ts'
import { haveStrongKeys, haveStrongSignatures, isSigned } from './strength.ts'

/** What a chain is judged against. */
export interface ChainExpectation {
  readonly hostname: string
  readonly now: Date
  /** Off for roots whose platforms sign with certificates that carry no names. */
  readonly requireLeafName: boolean
}

/** Each check returns when the chain passes it and throws when it does not. */
type Check = (chain: Chain, expected: ChainExpectation) => void

// The order is part of the contract (VRFY-01). No path is built or searched: the chain is given, and it holds as
// it stands or not at all.
const checks: readonly Check[] = [
  areOfReadSize,
  areWithinValidity,
  areAuthorities,
  areLinked,
  endAtThemselves,
  keepToConstraints,
  haveKnownExtensions,
  haveStrongKeys,
  haveStrongSignatures,
  nameTheHostname,
]

/**
 * Reads a `certChain`, one PEM certificate an entry, leaf first. Refuses (`cert-chain`) an entry that is not exactly
 * one, or no entry at all (`certificate_malformed`), and more or larger ones than are read (`too_complex`).
 */
export function readChain(entries: readonly string[]): Chain {
  if (entries.length > limits.maxChainCertificates) throw new AttestationError('cert-chain', 'too_complex')
  const [leaf, ...issuers] = entries.map((pem) =>
    readOrRefuse('cert-chain', 'certificate_malformed', () => parseEntry(pem)),
  )
  if (!leaf) throw new AttestationError('cert-chain', 'certificate_malformed')
  return [leaf, ...issuers]
}

/** The last certificate of a chain, whether or not it is self-signed. */
export function rootOf(chain: Chain): Certificate {
  return chain.at(-1) ?? chain[0]
}

/**
 * Refuses (`cert-chain`) with the first check that fails; each names its own reason, and bytes that cannot be read are
 * `certificate_malformed`. Any self-signed root passes: `checkRoot` asks whether it is trusted (VRFY-06 to VRFY-12).
 */
export function checkChain(chain: Chain, expected: ChainExpectation): void {
  for (const check of checks)
    readOrRefuse('cert-chain', 'certificate_malformed', () => check(chain, expected))
}

function areWithinValidity(chain: Chain, { now }: ChainExpectation): void {
  for (const { notBefore, notAfter } of chain) {
    if (!(now >= notBefore)) throw new AttestationError('cert-chain', 'certificate_not_yet_valid')
    if (!(now <= notAfter)) throw new AttestationError('cert-chain', 'certificate_expired')
  }
}

/**
 * Refuses (`cert-chain`) a certificate that does not name the next one as its issuer (`issuer_mismatch`), or is not
 * signed by it (`signature_invalid`) (VRFY-08).
 */
export function areLinked([leaf, ...issuers]: Chain): void {
  let certificate = leaf
  for (const issuer of issuers) {
    if (!certificate.issuer.equals(issuer.subject))
      throw new AttestationError('cert-chain', 'issuer_mismatch')
    if (!isSigned(certificate, issuer.key)) throw new AttestationError('cert-chain', 'signature_invalid')
    certificate = issuer
  }
}

function endAtThemselves(chain: Chain): void {
  const root = rootOf(chain)
  if (!isSelfIssued(root) || !isSigned(root, root.key))
    throw new AttestationError('cert-chain', 'not_self_signed_root')
}

function nameTheHostname([leaf]: Chain, { hostname, requireLeafName }: ChainExpectation): void {
  const named = dnsNamesOf(leaf).some((name) => coversHostname(name, hostname))
  if (requireLeafName && !named) throw new AttestationError('cert-chain', 'leaf_name_mismatch')
}
