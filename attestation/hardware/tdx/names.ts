import type { Certificate } from '../../certificate.ts'
import { membersOf, parseDer } from '../../der-value.ts'
import { oid } from '../../oid.ts'

const COMMON_NAME = oid('2.5.4.3')

/** The first common name of a certificate's subject. */
export function commonNameOf({ subject }: Certificate): string | undefined {
  const attributes = membersOf(parseDer(subject)).flatMap(membersOf).map(membersOf)
  const found = attributes.find(([type]) => type?.content.toString('hex') === COMMON_NAME)
  return found?.[1]?.content.toString('latin1')
}
