import { limits } from '#contract/limits'
import * as assert from '../../engine/assert.ts'
import { Browser } from '../../engine/browser.ts'
import {
  askCode,
  expectSignedIn,
  mailsTo,
  newAddress,
  rowsOf,
  signIn,
  signInNeeds,
} from '../../engine/console.ts'
import type { Context } from '../../engine/context.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import type { Topic } from '../../engine/topic.ts'

/** Has an address mailed as many codes as press it, by a browser that nobody knows. */
async function press(context: Context, email: string): Promise<void> {
  const stranger = new Browser(context, 'a stranger')
  const mailed = (await mailsTo(context, email)).length
  for (let mails = mailed; mails < limits.recipientMailsPerHour; mails++) await askCode(stranger, email)
}

/** Asks for a code, with the usual answer, and asserts that no mail comes of it. */
async function askInVain(browser: Browser, email: string, witness: string): Promise<void> {
  const { context } = browser
  const before = (await mailsTo(context, email)).length
  expectStatus(await browser.ask('askSignInCode', { body: { email } }), 202)
  // Mails go in the order in which they were asked for: when this one is there, the other one would be.
  await askCode(new Browser(context, witness), newAddress())
  assert.equal((await mailsTo(context, email)).length, before, 'a mail was sent')
}

export default {
  'known-browser': {
    rules: ['CONS-36'],
    title:
      'Who has signed in with a browser before is mailed codes there, however many strangers ask for them',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const owner = await signIn(new Browser(context, 'the owner'), newAddress())
      await press(context, owner.email)
      for (let time = 0; time < 2; time++) {
        const again = await signIn(owner.browser, owner.email)
        assert.equal(again.accountId, owner.accountId)
      }
    },
  },

  'one-try': {
    rules: ['CONS-59'],
    title:
      'Under guesses an address lets a new source try one code once, and mails it none when that was wrong',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      await press(context, email)
      const [guesser, owner] = [new Browser(context, 'a guesser'), new Browser(context, 'the owner')]
      const code = await askCode(guesser, email)
      const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
      for (const tried of [wrong, code]) {
        expectError(await guesser.ask('signIn', { body: { email, code: tried } }), 'invalid_code')
      }
      await askInVain(guesser, email, 'a witness')
      const own = await askCode(owner, email)
      expectSignedIn(owner, email, await owner.ask('signIn', { body: { email, code: own } }))
    },
  },

  'recipient-mails': {
    rules: ['LIM-37'],
    title: 'An address that has had its mails gets one more for each source, and nobody is told of it',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      await press(context, email)
      const another = new Browser(context, 'another source')
      await askCode(another, email)
      await askInVain(another, email, 'a witness')
    },
  },

  'sessions-bound': {
    rules: ['CONS-42'],
    title: 'An account has 50 sessions, and one more ends the oldest',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const browsers = Array.from(
        { length: limits.maxSessions + 1 },
        (_, index) => new Browser(context, `browser ${index}`),
      )
      for (const browser of browsers) await signIn(browser, email)
      expectError(await browsers[0]!.ask('getMe'), 'session_required')
      expectStatus(await browsers[1]!.ask('getMe'), 200)
      assert.equal(rowsOf(await browsers.at(-1)!.ask('listSessions')).length, limits.maxSessions)
    },
  },
} satisfies Topic
