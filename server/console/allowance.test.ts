import { expect, test } from 'vitest'
import { type Pressure, triesAllowed } from './allowance.ts'

const quiet: Pressure = { mails: 0, mailsOfAsker: 0, wrong: 0, wrongOfAsker: 0, isKnown: false }

test.each<[string, Partial<Pressure>, number]>([
  ['of an address that is left alone', {}, 5],
  ['of an address that was sent nine mails', { mails: 9, mailsOfAsker: 9 }, 5],
  ['of an asker who has had ten mails', { mails: 10, mailsOfAsker: 10 }, 0],
  ['of an asker who has tried ten wrong codes', { wrong: 10, wrongOfAsker: 10 }, 0],
  ['by a new source, of an address that was sent ten mails', { mails: 10 }, 1],
  ['by a new source, of an address that was guessed at 20 times', { wrong: 20 }, 1],
  ['of a pressed address, by a source that has had its mail', { wrong: 20, mailsOfAsker: 1 }, 0],
  ['of a pressed address, by a source that was wrong', { wrong: 20, wrongOfAsker: 1 }, 0],
  ['by a new source, when strangers have had a hundred mails sent', { mails: 100 }, 0],
  ['by a known browser, of a pressed address', { mails: 100, wrong: 100, isKnown: true }, 5],
  ['by a known browser that has had ten mails', { mails: 10, mailsOfAsker: 10, isKnown: true }, 0],
  ['by a known browser that was wrong ten times', { wrongOfAsker: 10, isKnown: true }, 0],
])('a code %s may be tried so often', (_, change, tries) => {
  expect(triesAllowed({ ...quiet, ...change })).toBe(tries)
})
