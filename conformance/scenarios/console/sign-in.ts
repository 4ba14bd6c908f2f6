import * as assert from '../../engine/assert.ts'
import { Browser, cookiesIn } from '../../engine/browser.ts'
import { showing, shows } from '../../engine/checks.ts'
import {
  askCode,
  creditNeeds,
  expectSignedIn,
  mailsTo,
  newAddress,
  signIn,
  signInNeeds,
  signUp,
  textIn,
  told,
} from '../../engine/console.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { anyGrant } from '../../engine/invitations.ts'
import type { Topic } from '../../engine/topic.ts'

const DAYS_30 = 30 * 24 * 3_600

/** A code that is surely another one. */
function otherThan(code: string, turn = 0): string {
  return String((Number(code) + 1 + turn) % 1_000_000).padStart(6, '0')
}

export default {
  'bound-to-browser': {
    rules: ['CONS-24'],
    title: 'A code lets nobody in from another browser than the one that asked for it',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const browser = new Browser(context)
      const code = await askCode(browser, email)
      const stranger = new Browser(context, 'a stranger')
      for (const attempt of [1, 2])
        expectError(await stranger.ask('signIn', { body: { email, code } }), 'invalid_code', {
          ...(attempt === 1 && { param: 'code' }),
        })
      // One that has asked for a code itself.
      await askCode(stranger, newAddress())
      expectError(await stranger.ask('signIn', { body: { email, code } }), 'invalid_code')
      assert.equal(
        expectSignedIn(browser, email, await browser.ask('signIn', { body: { email, code } })).isNew,
        true,
      )
    },
  },

  'by-code': {
    rules: ['CONS-02', 'CONS-09', 'CONS-10'],
    title: 'A code of six digits comes by mail, and with it an account is made, or signed in to from then on',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      shows('CONS-02', 'CONS-09', 'CONS-10')
      const first = await signIn(new Browser(context), email)
      assert.equal(first.isNew, true, 'the first sign-in made no account')
      const second = await signIn(new Browser(context, 'another browser'), email)
      shows('CONS-10')
      assert.deepEqual(
        [second.isNew, second.accountId, second.workspaceId],
        [false, first.accountId, first.workspaceId],
      )
    },
  },

  'by-form': {
    rules: ['CONS-27'],
    title:
      'A sign-in with a name for the workspace makes account and workspace, and a later one changes neither',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUp(context, 'a browser', { workspace_name: 'Acme <b>Ltd</b>' })
      const me = told(await person.browser.ask('getMe'))
      assert.deepEqual(me.workspace, { id: person.workspaceId, name: 'Acme <b>Ltd</b>' })
      assert.deepEqual([me.id, me.email, me.administrator], [person.accountId, person.email, false])
      const again = await signIn(person.browser, person.email, { workspace_name: 'Another' })
      assert.deepEqual(again.isNew, false)
      assert.deepEqual(told(await person.browser.ask('getMe')).workspace, me.workspace)
    },
  },

  cookie: {
    rules: ['CONS-21'],
    title:
      'The cookie of a session is HttpOnly and SameSite=Lax, lives 30 days, and is Secure where there is TLS',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const browser = new Browser(context)
      const code = await askCode(browser, email)
      const exchange = await browser.ask('signIn', { body: { email, code } })
      showing([], () => expectSignedIn(browser, email, exchange))
      const cookies = cookiesIn(exchange.headers['set-cookie'] ?? '')
      assert.ok(cookies.length > 0, 'no cookie is set')
      const isTls = context.target.consoleUrl?.startsWith('https:') ?? false
      for (const { name, attributes } of cookies) {
        for (const wanted of ['httponly', 'samesite=lax'])
          assert.ok(attributes.includes(wanted), `${name} is not ${wanted}`)
        assert.equal(attributes.includes('secure'), isTls, `Secure of ${name}`)
        if (isTls) assert.ok(name.startsWith('__Host-'), `a neighbouring host can plant ${name}`)
        assert.ok(attributes.includes(`max-age=${DAYS_30}`), `${name} does not live 30 days`)
      }
    },
  },

  'five-tries': {
    rules: ['CONS-25'],
    title: 'A code is void after five wrong tries, and the right one does not help a sixth time',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const [email, other] = [newAddress(), newAddress()]
      const browser = new Browser(context)
      const code = await askCode(browser, email)
      for (let turn = 0; turn < 5; turn++)
        expectError(
          await browser.ask('signIn', { body: { email, code: otherThan(code, turn) } }),
          'invalid_code',
        )
      expectError(await browser.ask('signIn', { body: { email, code } }), 'invalid_code')
      // Four leave it as it was.
      const patient = new Browser(context, 'another browser')
      const good = await askCode(patient, other)
      for (let turn = 0; turn < 4; turn++)
        await patient.ask('signIn', { body: { email: other, code: otherThan(good, turn) } })
      expectSignedIn(patient, other, await patient.ask('signIn', { body: { email: other, code: good } }))
    },
  },

  'fresh-session': {
    rules: ['CONS-40'],
    title: 'A sign-in begins a session under a new token, and ends the one that the browser brought',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const owner = await signUp(context)
      const name = sessionCookieOf(owner.browser)
      const first = owner.browser.cookies.get(name) ?? ''
      // A stranger's session is laid into the browser of somebody who signs in then.
      const victim = new Browser(context, 'a victim')
      victim.cookies.set(name, first)
      const signedIn = await signIn(victim, newAddress())
      const second = victim.cookies.get(name)
      assert.notEqual(second, first, 'the token that was planted is the session’s')
      assert.equal(told(await victim.ask('getMe')).id, signedIn.accountId)
      expectError(await owner.browser.ask('getMe'), 'session_required')
    },
  },

  invitation: {
    rules: ['INV-01', 'INV-03', 'WSP-06'],
    title: 'A new account that brings an invitation finds its credit as a row called "Invitation credit"',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const grant_micros = anyGrant(context)
      const issue = async () => (await context.hooks('issueInvitation', { grant_micros })).code
      const person = await signUp(context, 'a browser', { invitation: await issue() })
      shows('INV-01')
      assert.equal(person.grantedMicros, grant_micros)
      const credits = told(await person.browser.ask('getCredits'))
      assert.equal(credits.balance_micros, grant_micros)
      shows('WSP-06')
      assert.ok(Array.isArray(credits.data), 'there are no rows')
      assert.deepEqual(
        credits.data.map((row) => [row?.amount_micros, row?.description]),
        [[grant_micros, 'Invitation credit']],
      )
      shows('INV-03')
      // It goes to new accounts.
      const again = await signIn(person.browser, person.email, { invitation: await issue() })
      assert.equal(again.grantedMicros, null)
      assert.equal(told(await person.browser.ask('getCredits')).balance_micros, grant_micros)
      const early = await signUp(context, 'another browser')
      const late = await signIn(early.browser, early.email, { invitation: await issue() })
      assert.equal(late.grantedMicros, null)
      assert.equal(told(await early.browser.ask('getCredits')).balance_micros, 0)
    },
  },

  'mail-state': {
    rules: ['CONS-39'],
    title: 'The browser that asked for a code is told what became of its mail, and no other one is',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const browser = new Browser(context)
      expectError(await browser.ask('getSignInCode'), 'not_found')
      await askCode(browser, newAddress())
      await context.eventually('the state "sent"', async () => {
        const { state } = told(await browser.ask('getSignInCode'))
        assert.ok(state === 'waiting' || state === 'sent', `the state is ${state}`)
        return state === 'sent'
      })
      expectError(await new Browser(context, 'a stranger').ask('getSignInCode'), 'not_found')
    },
  },

  'newest-code': {
    rules: ['CONS-24'],
    title: 'The newest code of a browser takes the place of its older ones',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const browser = new Browser(context)
      const older = await askCode(browser, email)
      const newer = await askCode(browser, email)
      if (older !== newer)
        expectError(await browser.ask('signIn', { body: { email, code: older } }), 'invalid_code')
      expectSignedIn(browser, email, await browser.ask('signIn', { body: { email, code: newer } }))
    },
  },

  'no-password': {
    rules: ['CONS-03', 'CONS-11'],
    title: 'Address and code are all that a sign-in takes, and a password is none',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      shows('CONS-03', 'CONS-11')
      const person = await signUp(context)
      assert.equal(told(await person.browser.ask('getMe')).email, person.email)
      const stranger = new Browser(context, 'a stranger')
      const { email } = person
      for (const body of [
        { email, password: 'secret' },
        { email },
        { email, code: '', password: 'secret' },
      ]) {
        const { status } = await stranger.ask('signIn', { body })
        shows('CONS-03', 'CONS-11')
        assert.ok(status >= 400 && status < 500, `${Object.keys(body)} without a code was answered ${status}`)
      }
      expectError(await stranger.ask('getMe'), 'session_required')
    },
  },

  once: {
    rules: ['CONS-24'],
    title: 'A code works once: whoever brings it again is not let in, and of two at once one is',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const browser = new Browser(context)
      const code = await askCode(browser, email)
      const body = { email, code }
      const tries = await Promise.all([
        browser.open('signIn', { body }).done,
        browser.open('signIn', { body }).done,
      ])
      assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 400])
      expectError(await browser.ask('signIn', { body }), 'invalid_code')
    },
  },

  origin: {
    rules: ['CONS-22'],
    title: 'A call that changes something and names another origin, or none, is 403 and changes nothing',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const email = newAddress()
      const person = await signUp(context)
      const { browser } = person
      const session = textIn(told(await browser.ask('getMe')), 'id')
      const page = new URL(context.target.consoleUrl ?? '')
      for (const origin of [null, 'null', 'https://evil.example', `${page.origin}.evil.example`]) {
        const forbid = async (...[operation, options]: Parameters<Browser['ask']>) =>
          expectError(await browser.ask(operation, { ...options, origin }), 'forbidden_origin')
        await forbid('askSignInCode', { body: { email } })
        await forbid('signIn', { body: { email, code: '123456' } })
        await forbid('createKey', { body: { name: 'stolen' } })
        await forbid('deleteSession')
        await forbid('sendEvents', { body: { events: [{ name: 'page_opened', page: 'keys' }] } })
      }
      assert.deepEqual(await mailsTo(context, email), [], 'a mail was sent')
      assert.deepEqual(told(await browser.ask('listKeys')).data, [], 'a key was made')
      assert.equal(told(await browser.ask('getMe')).id, session, 'the session was ended')
    },
  },

  'same-answer': {
    rules: ['CONS-23'],
    title:
      'Whoever asks for a code is answered the same 202 for an address with an account and for one without',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const { email } = await signUp(context)
      const answers = []
      for (const address of [email, newAddress()]) {
        const browser = new Browser(context, `asks for ${address}`)
        const exchange = await browser.ask('askSignInCode', { body: { email: address } })
        expectStatus(exchange, 202)
        const { date: _, 'set-cookie': cookie = '', 'x-request-id': __, ...headers } = exchange.headers
        const cookies = cookiesIn(cookie).map(({ name, attributes }) => [name, attributes])
        answers.push([Object.keys(told(exchange, 202)), headers, cookies, textOf(exchange).length])
      }
      assert.deepEqual(answers[0], answers[1])
    },
  },

  sessions: {
    rules: ['CONS-41'],
    title: 'Somebody sees where they are signed in, and ends a session elsewhere at the server',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const here = await signUp(context)
      const there = await signIn(new Browser(context, 'elsewhere'), here.email)
      const list = async () => {
        const { data } = told(await here.browser.ask('listSessions'))
        assert.ok(Array.isArray(data), 'there are no sessions')
        return data as readonly { readonly id?: string; readonly current?: boolean }[]
      }
      const sessions = await list()
      assert.deepEqual(sessions.map(({ current }) => current).sort(), [false, true])
      const id = sessions.find(({ current }) => !current)?.id ?? ''
      expectStatus(await here.browser.ask('endSession', { params: { id } }), 204)
      expectError(await there.browser.ask('getMe'), 'session_required')
      assert.equal((await list()).length, 1)
      expectError(await here.browser.ask('endSession', { params: { id } }), 'not_found')
    },
  },

  'sign-out': {
    rules: ['CONS-35'],
    title: 'Who signs out is out at the server: the cookie of before opens nothing any more',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const { browser } = await signUp(context)
      const kept = new Map(browser.cookies)
      expectStatus(await browser.ask('deleteSession'), 204)
      for (const [name, value] of kept) browser.cookies.set(name, value)
      for (const operation of ['getMe', 'listKeys', 'getCredits', 'listRequests'] as const)
        expectError(await browser.ask(operation), 'session_required')
    },
  },
} satisfies Topic

/** The name of the cookie without which nobody is signed in. */
function sessionCookieOf({ cookies }: Browser): string {
  const name = [...cookies.keys()].find((one) => one.includes('session'))
  assert.ok(name, 'no cookie of a session is set')
  return name
}
