import { id_NameConstraints, NameConstraints } from 'pkijs'
import { type Certificate, type Chain, isSelfIssued, readExtension } from './certificate.ts'
import { AttestationError } from './errors.ts'
import { namesOf } from './names.ts'
import { isWithin, type Subtree, toSubtree } from './subtree.ts'

/** Passes when no name lies outside what the authorities above it may certify (RFC 5280, 6.1.3 b–c). */
export function keepToConstraints(chain: Chain): void {
  for (const [height, authority] of chain.entries()) {
    const constraints = readExtension(authority, id_NameConstraints, NameConstraints)
    const below = chain
      .slice(0, height)
      .filter((certificate, index) => index === 0 || !isSelfIssued(certificate))
    if (constraints && !below.every((certificate) => areWithin(certificate, constraints)))
      throw new AttestationError('cert-chain', 'name_constraint')
  }
}

function areWithin(certificate: Certificate, constraints: NameConstraints): boolean {
  const permitted = (constraints.permittedSubtrees ?? []).map(toSubtree)
  const excluded = (constraints.excludedSubtrees ?? []).map(toSubtree)
  return namesOf(certificate).every((name) => {
    const about = ({ type }: Subtree) => type === name.type
    // Where a comparison has no certain answer, it counts against the chain either way.
    const isPermitted =
      !permitted.some(about) || permitted.some((subtree) => isWithin(name, subtree) === 'yes')
    return isPermitted && excluded.filter(about).every((subtree) => isWithin(name, subtree) === 'no')
  })
}
