import type { Certificate } from './certificate.ts'
import { around, expectTag, Members, membersOf, parseDer, tags, type Value } from './der-value.ts'
import { extensionOids } from './extensions.ts'

/** A name of a certificate, or what is demanded of names. */
export interface Name {
  /** The tag of a GeneralName. */
  readonly type: number
  readonly content: Buffer | undefined
}

/** The kinds of names that are looked at, by the tags of a GeneralName (RFC 5280, 4.2.1.6). */
export const nameTypes = { mail: 0x81, dns: 0x82, directory: 0xa4, address: 0x87 } as const

/** All kinds: other, mail, DNS, X.400, directory, EDI, URI, address, registered. */
const ALL_TYPES: readonly number[] = [0xa0, 0x81, 0x82, 0xa3, 0xa4, 0xa5, 0x86, 0x87, 0x88]

const EMPTY_NAME_LENGTH = 2
const MAIL_ATTRIBUTE = Buffer.from('06092a864886f70d010901', 'hex')

/** A certificate's alternative names, its subject, and a mail address within that. Throws when they cannot be read. */
export function namesOf(certificate: Certificate): Name[] {
  const names = alternativeNamesOf(certificate)
  const { subject } = certificate
  if (subject.length > EMPTY_NAME_LENGTH) names.push({ type: nameTypes.directory, content: subject })
  if (subject.includes(MAIL_ATTRIBUTE)) names.push({ type: nameTypes.mail, content: undefined })
  return names
}

/** The DNS names among the alternative names; never the common name. Throws when they cannot be read. */
export function dnsNamesOf(certificate: Certificate): string[] {
  return alternativeNamesOf(certificate).flatMap(({ type, content }) =>
    type === nameTypes.dns ? [content?.toString('latin1') ?? ''] : [],
  )
}

const OTHER = around(0)

/** Reads a GeneralName (RFC 5280, 4.2.1.6). Throws a `TypeError` for an unknown kind or another kind's form. */
export function parseName(name: Value): Name {
  const { tag, content } = name
  if (!ALL_TYPES.includes(tag)) throw new TypeError('There is no such kind of name.')
  if (tag === nameTypes.directory) expectDirectory(name)
  if (tag === OTHER) expectOther(name)
  return { type: tag, content }
}

/** A Name (RFC 5280, 4.1.2.4): a list of sets of attributes, none of them empty. Other parsers refuse anything else. */
function expectDirectory(name: Value): void {
  const [list, ...more] = membersOf(name)
  if (more.length > 0) throw new TypeError('A name of a directory is one list.')
  for (const part of membersOf(expectTag(list, tags.sequence))) {
    const attributes = membersOf(expectTag(part, tags.set))
    if (attributes.length === 0) throw new TypeError('A part of a name has no attribute.')
    for (const attribute of attributes) expectPair(membersOf(expectTag(attribute, tags.sequence)))
  }
}

/** A kind of its own, and a value that is marked with 0. */
function expectOther(name: Value): void {
  const members = new Members(name, OTHER)
  members.need(tags.oid)
  if (membersOf(members.need(around(0))).length !== 1) throw new TypeError('Another name is one value.')
  members.end()
}

function expectPair([kind, value, ...more]: readonly Value[]): void {
  expectTag(kind, tags.oid)
  if (value === undefined || more.length > 0) throw new TypeError('An attribute is a kind and a value.')
}

function alternativeNamesOf({ extensions }: Certificate): Name[] {
  const extension = extensions.get(extensionOids.subjectNames)
  if (!extension) return []
  const list = parseDer(extension.value)
  if (list.tag !== tags.sequence) throw new TypeError('Names are a list.')
  return membersOf(list).map(parseName)
}
