import { type Certificate, type Chain, isSelfIssued } from './certificate.ts'
import { expectTag, Members, parseDer, tags } from './der-value.ts'
import { AttestationError } from './errors.ts'
import { extensionOids } from './extensions.ts'

/** The sixth bit of the first byte of a key usage (RFC 5280, 4.2.1.3). */
const KEY_CERT_SIGN = 0x04

/** Most bytes of a path length: more authorities than that stand in no chain. */
const MAX_NUMBER_BYTES = 4

/** What a certificate says of its right to issue others. */
interface BasicConstraints {
  readonly isAuthority: boolean
  /** How many authorities may stand below; undefined for any number. */
  readonly pathLength?: number
}

/**
 * Refuses (`cert-chain`) an issuer that is no authority (`not_a_ca`), has more authorities below it than it allows
 * (`path_too_long`) or may not sign certificates (`key_usage`). The leaf is not looked at (VRFY-07).
 */
export function areAuthorities([, ...issuers]: Chain): void {
  let authoritiesBelow = 0
  for (const issuer of issuers) {
    const { isAuthority, pathLength } = basicConstraintsOf(issuer)
    if (!isAuthority) throw new AttestationError('cert-chain', 'not_a_ca')
    if (pathLength !== undefined && !(authoritiesBelow <= pathLength))
      throw new AttestationError('cert-chain', 'path_too_long')
    if (!maySignCertificates(issuer)) throw new AttestationError('cert-chain', 'key_usage')
    // An authority that issued to itself, as when it renews its key, does not lengthen the path.
    if (!isSelfIssued(issuer)) authoritiesBelow += 1
  }
}

function basicConstraintsOf({ extensions }: Certificate): BasicConstraints {
  const extension = extensions.get(extensionOids.basicConstraints)
  if (!extension) return { isAuthority: false }
  const members = new Members(parseDer(extension.value))
  const isAuthority = (members.take(tags.boolean)?.content[0] ?? 0) !== 0
  const number = members.take(tags.integer)?.content
  members.end()
  return { isAuthority, ...(number && { pathLength: numberOf(number) }) }
}

function numberOf(bytes: Buffer): number {
  const isRead = bytes.length > 0 && bytes.length <= MAX_NUMBER_BYTES && (bytes[0] ?? 0) < 0x80
  if (!isRead) throw new TypeError('A path length is a small number that is not negative.')
  return bytes.readUIntBE(0, bytes.length)
}

/** Without a key usage a key may do everything. */
function maySignCertificates({ extensions }: Certificate): boolean {
  const usage = extensions.get(extensionOids.keyUsage)
  if (!usage) return true
  // The first byte says how many of the last bits do not count.
  const { content } = expectTag(parseDer(usage.value), tags.bits)
  return ((content[1] ?? 0) & KEY_CERT_SIGN) !== 0
}
