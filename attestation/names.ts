import { OctetString } from 'asn1js'
import { AltName, type GeneralName, id_SubjectAltName, RelativeDistinguishedNames } from 'pkijs'
import { type Certificate, readExtension } from './certificate.ts'

/** A name of a certificate, or what is demanded of names; of kinds that are not compared there is no value. */
export interface Name {
  readonly type: number
  readonly value: string | Buffer | undefined
}

/** The kinds of names that are looked at, by the tags of a GeneralName (RFC 5280, 4.2.1.6). */
export const nameTypes = { mail: 1, dns: 2, directory: 4, address: 7 } as const

const EMPTY_NAME_LENGTH = 2
const MAIL_ATTRIBUTE = Buffer.from('06092a864886f70d010901', 'hex')

/** All names of a certificate's subject, wherever they stand. */
export function namesOf(certificate: Certificate): Name[] {
  const names = (readExtension(certificate, id_SubjectAltName, AltName)?.altNames ?? []).map(toName)
  const { subject } = certificate
  if (subject.length > EMPTY_NAME_LENGTH) names.push({ type: nameTypes.directory, value: subject })
  if (subject.includes(MAIL_ATTRIBUTE)) names.push({ type: nameTypes.mail, value: undefined })
  return names
}

/** The DNS names of a certificate; its common name is not one of them. */
export function dnsNamesOf(certificate: Certificate): string[] {
  return namesOf(certificate).flatMap(({ type, value }) => (type === nameTypes.dns ? String(value) : []))
}

/** A name as pkijs models it, reduced to what is compared. */
export function toName({ type, value }: GeneralName): Name {
  if (typeof value === 'string') return { type, value }
  if (value instanceof OctetString) return { type, value: Buffer.from(value.valueBlock.valueHexView) }
  if (value instanceof RelativeDistinguishedNames)
    return { type, value: Buffer.from(value.valueBeforeDecode) }
  return { type, value: undefined }
}
