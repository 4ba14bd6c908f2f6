import { BitString } from 'asn1js'
import { BasicConstraints, id_BasicConstraints, id_KeyUsage } from 'pkijs'
import { type Certificate, type Chain, isSelfIssued, readExtension } from './certificate.ts'
import { AttestationError } from './errors.ts'

/** The sixth bit of the first byte of a key usage (RFC 5280, 4.2.1.3). */
const KEY_CERT_SIGN = 0x04

/** Passes when all but the leaf are authorities that may issue what stands below them (RFC 5280, 6.1.4 k–n). */
export function areAuthorities([, ...issuers]: Chain): void {
  let authoritiesBelow = 0
  for (const issuer of issuers) {
    const { cA = false, pathLenConstraint } =
      readExtension(issuer, id_BasicConstraints, BasicConstraints) ?? {}
    if (!cA) throw new AttestationError('cert-chain', 'not_a_ca')
    if (pathLenConstraint !== undefined && !(authoritiesBelow <= Number(pathLenConstraint)))
      throw new AttestationError('cert-chain', 'path_too_long')
    if (!maySignCertificates(issuer)) throw new AttestationError('cert-chain', 'key_usage')
    // pkijs passes over what stands behind the members that it knows; OpenSSL does not.
    if (!issuer.isAuthority) throw new AttestationError('cert-chain', 'certificate_malformed')
    // An authority that issued to itself, as when it renews its key, does not lengthen the path.
    if (!isSelfIssued(issuer)) authoritiesBelow += 1
  }
}

/** Without a key usage a key may do everything. */
function maySignCertificates(issuer: Certificate): boolean {
  const usage = readExtension(issuer, id_KeyUsage, BitString)
  return !usage || ((usage.valueBlock.valueHexView[0] ?? 0) & KEY_CERT_SIGN) !== 0
}
