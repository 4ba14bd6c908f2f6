import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Extension } from 'pkijs'
import { createCertificate, type Issuer, subjectOf } from '../certificates/certificate.ts'
import { authority, endEntity, keyIds } from '../certificates/extensions.ts'
import type { KeyPair } from '../certificates/keys.ts'
import { distinguishedName } from '../certificates/name.ts'
import { publishedKey } from './keys.ts'

/** A part of a vendor that issues certificates. */
export interface VendorAuthority extends Issuer {
  readonly certificate: X509Certificate
  readonly publicKey: KeyObject
}

const ORGANISATION = 'Simulated hardware'
const AUTHORITY_DAYS = 3_650
const MACHINE_DAYS = 365

/** A vendor's root, with a name that says what it is. */
export function createVendorRoot(name: string, now: Date): VendorAuthority {
  const keys = publishedKey(name)
  const issuer = { name: distinguishedName(ORGANISATION, `${name} (simulated)`), privateKey: keys.privateKey }
  const extensions = [...authority(1), ...keyIds(keys.publicKey, keys.publicKey)]
  const template = { subject: issuer.name, publicKey: keys.publicKey, extensions, validDays: AUTHORITY_DAYS }
  return { ...issuer, publicKey: keys.publicKey, certificate: createCertificate(template, issuer, now) }
}

/** An authority below a root, with the name that verifiers look for. */
export function createAuthorityBelow(root: VendorAuthority, name: string, now: Date): VendorAuthority {
  const { publicKey, privateKey } = publishedKey(name)
  const template = {
    subject: distinguishedName(ORGANISATION, name),
    publicKey,
    extensions: [...authority(0), ...keyIds(publicKey, root.publicKey)],
    validDays: AUTHORITY_DAYS,
  }
  const certificate = createCertificate(template, root, now)
  return { certificate, publicKey, privateKey, name: subjectOf(certificate) }
}

/** A certificate of a key that signs what hardware, or its vendor, says. */
export function endorse(
  issuer: VendorAuthority,
  name: string,
  { publicKey }: KeyPair,
  extensions: readonly Extension[],
  now: Date,
): X509Certificate {
  const template = {
    subject: distinguishedName(ORGANISATION, name),
    publicKey,
    extensions: [...endEntity([]), ...keyIds(publicKey, issuer.publicKey), ...extensions],
    validDays: MACHINE_DAYS,
  }
  return createCertificate(template, issuer, now)
}
