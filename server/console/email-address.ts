import { domainToASCII } from 'node:url'

/** An e-mail address as it is kept, compared and written to. */
export type EmailAddress = string & { readonly __brand: 'EmailAddress' }

/** What a mail server takes (RFC 5321), in octets. */
const MAX_ADDRESS_OCTETS = 254
const MAX_MAILBOX_OCTETS = 64

/** Words that dots join; nothing quoted, no comment, and ASCII alone (RFC 5322). */
const MAILBOX = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/**
 * An address as it was typed, in the one form in which it names an account; undefined when no mail can reach it.
 *
 * Capital letters make no difference, in the mailbox either: no provider of note gives `Ann@` and `ann@` to two people,
 * and people type both. A domain in other letters is taken in its ASCII form (`xn--…`), by the rules that browsers use.
 * Other letters before the `@` are refused: two that look alike would be two accounts, and few servers take them. Mail
 * goes to this form and to no other, so that a code never reaches a mailbox whose name only looks like it.
 */
export function parseEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const mailbox = trimmed.slice(0, at)
  if (at < 1 || mailbox.length > MAX_MAILBOX_OCTETS || !MAILBOX.test(mailbox)) return undefined
  const typed = trimmed.slice(at + 1)
  // What the rules of browsers would drop or take for the end of a host names another one here.
  if (typed.length > MAX_ADDRESS_OCTETS || /[\s/?#@:%\\[\]]/.test(typed)) return undefined
  const domain = domainToASCII(typed)
  if (!HOST.test(domain) || isNumeric(domain)) return undefined
  const address = `${mailbox.toLowerCase()}@${domain}`
  return address.length > MAX_ADDRESS_OCTETS ? undefined : (address as EmailAddress)
}

/** An IP address is no domain; what mails go to it by is another form, which nobody has an account at. */
function isNumeric(domain: string): boolean {
  return /(^|\.)\d+$/.test(domain)
}
