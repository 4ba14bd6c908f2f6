import { limits } from '#contract/limits'

/**
 * What has happened around an address that somebody asks a code for. An asker is a browser in which its owner has signed in
 * before, otherwise a source address.
 */
export interface Pressure {
  /** Mails to the address in the last hour. */
  readonly mails: number
  /** Those of them that this asker has asked for. */
  readonly mailsOfAsker: number
  /** Wrong codes for the address in the last day. */
  readonly wrong: number
  /** Those of them that this asker has tried. */
  readonly wrongOfAsker: number
  readonly isKnown: boolean
}

/**
 * How often a code may be tried that is asked for now; 0: nothing is mailed, and nobody is told (LIM-37, CONS-59).
 *
 * A code is worth guessing at one in a million for each try, so what counts is how many codes strangers can have mailed
 * to an address and try in a day. A plain cap for each address would lock its owner out: strangers use it up. So when an
 * address is pressed, each source may have one mail in an hour with one try, and none once that was wrong: whoever comes
 * from an address of his own, or from a browser in which he has signed in before, is served in any case.
 */
export function triesAllowed({ mails, mailsOfAsker, wrong, wrongOfAsker, isKnown }: Pressure): number {
  const isPressed =
    !isKnown && (mails >= limits.recipientMailsPerHour || wrong >= limits.recipientWrongCodesPerDay)
  if (isPressed) {
    return mails < limits.maxRecipientMailsPerHour && mailsOfAsker === 0 && wrongOfAsker === 0 ? 1 : 0
  }
  return mailsOfAsker < limits.recipientMailsPerHour && wrongOfAsker < limits.sourceWrongCodesPerDay
    ? limits.signInCodeTries
    : 0
}
