import type { KeyObject } from 'node:crypto'
import { limits } from '#contract/limits'
import { type Certificate, type Chain, parseCertificate } from './certificate.ts'
import { membersOf, parseDer, tags } from './der-value.ts'
import { AttestationError } from './errors.ts'
import { extensionOids } from './extensions.ts'
import type { Oid } from './oid.ts'
import { parsePem } from './pem.ts'

/** Characters of a PEM for each byte of its certificate; base64 and its line ends take less than that. */
const PEM_CHARACTERS_PER_BYTE = 2

/** Largest exponent of an RSA key (ours); everybody uses 65537, and the time of a check grows with it. */
const MAX_RSA_EXPONENT = 2n ** 32n

/** Reads one certificate in PEM. Throws when it is none; `cert-chain` / `too_complex` above `maxCertificateBytes`. */
export function parseEntry(pem: string): Certificate {
  if (pem.length > limits.maxCertificateBytes * PEM_CHARACTERS_PER_BYTE) throw tooComplex()
  const der = parsePem(pem)
  if (der.length > limits.maxCertificateBytes) throw tooComplex()
  return parseCertificate(der)
}

/**
 * Refuses (`cert-chain` / `too_complex`) a certificate with more names or name constraints, or a longer RSA key, than
 * the limits allow (VRFY-24). It runs before the checks whose time grows with these: a chain need not be signed to be
 * sent.
 */
export function areOfReadSize(chain: Chain): void {
  for (const certificate of chain) {
    const names = partsOf(certificate, extensionOids.subjectNames)
    const subtrees = partsOf(certificate, extensionOids.nameConstraints).flatMap(membersOf)
    if (names.length > limits.maxCertificateNames) throw tooComplex()
    if (subtrees.length > limits.maxNameSubtrees) throw tooComplex()
    if (!isOfReadLength(certificate.key)) throw tooComplex()
  }
}

/** What a list in an extension holds; what cannot be read is refused by whoever reads it. */
function partsOf({ extensions }: Certificate, oid: Oid): ReturnType<typeof membersOf> {
  const extension = extensions.get(oid)
  if (!extension) return []
  const list = parseDer(extension.value)
  return list.tag === tags.sequence ? membersOf(list) : []
}

function isOfReadLength({ asymmetricKeyDetails: details = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = details
  return modulusLength <= limits.maxRsaBits && publicExponent <= MAX_RSA_EXPONENT
}

function tooComplex(): AttestationError {
  return new AttestationError('cert-chain', 'too_complex')
}
