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

/** What each asker may have of an address that nobody presses (LIM-36), and any known browser at any time (ours). */
const MAX_MAILS = 10
const MAX_WRONG = 10
const MAX_TRIES = 5

/** From so many wrong codes in a day on, somebody is guessing at an address (ours). */
const PRESSING_WRONG = 20

/** Mails in an hour that all strangers together may have sent to an address (ours). */
const MAX_MAILS_OF_STRANGERS = 100

/**
 * How often a code may be tried that is asked for now; 0: nothing is mailed, and nobody is told.
 *
 * A code is worth guessing at one in a million for each try, so what counts is how many codes strangers can have mailed
 * to an address and try in a day. A plain cap for each address would lock its owner out: strangers use it up. So when an
 * address is pressed, each source may have one mail in an hour with one try, and none once that was wrong: whoever comes
 * from an address of his own, or from a browser in which he has signed in before, is served in any case.
 */
export function triesAllowed({ mails, mailsOfAsker, wrong, wrongOfAsker, isKnown }: Pressure): number {
  const isPressed = !isKnown && (mails >= MAX_MAILS || wrong >= PRESSING_WRONG)
  if (isPressed) {
    return mails < MAX_MAILS_OF_STRANGERS && mailsOfAsker === 0 && wrongOfAsker === 0 ? 1 : 0
  }
  return mailsOfAsker < MAX_MAILS && wrongOfAsker < MAX_WRONG ? MAX_TRIES : 0
}
