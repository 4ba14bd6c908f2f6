import { randomBytes } from 'node:crypto'
import { isObject } from '#base/object.ts'
import type { RuleId } from '#contract/rules'
import * as assert from './assert.ts'
import { Browser } from './browser.ts'
import { showing, shownRules } from './checks.ts'
import type { Context } from './context.ts'
import { expectStatus } from './expect.ts'
import { type Exchange, objectOf } from './http/exchange.ts'
import { anyGrant } from './invitations.ts'
import type { Need } from './needs.ts'

/** What scenarios need in which somebody signs in: budgets are kept apart by addresses that the suite makes up. */
export const signInNeeds: readonly Need[] = ['console', 'readMails', 'forwarded']

/** The same with credit from an invitation. */
export const creditNeeds: readonly Need[] = [...signInNeeds, 'issueInvitation']

type Members = Readonly<Record<string, unknown>>

/** Somebody who is signed in. */
export interface Person {
  readonly browser: Browser
  readonly email: string
  readonly accountId: string
  readonly workspaceId: string
  /** Whether the account is new. */
  readonly isNew: boolean
  readonly grantedMicros: unknown
}

/** An e-mail address that nobody has asked a code for. */
export function newAddress(): string {
  return `person-${randomBytes(6).toString('hex')}@suite.example`
}

/** Asks for a code and reads it in the mail. */
export async function askCode(browser: Browser, email: string): Promise<string> {
  const { context } = browser
  const before = (await mailsTo(context, email)).length
  expectStatus(await browser.ask('askSignInCode', { body: { email } }), 202)
  const mails = await context.eventually(
    'a mail with a code',
    async () => {
      const found = await mailsTo(context, email)
      return found.length > before && found
    },
    MAIL_MS,
  )
  const codes = new Set(mails[0]?.match(/(?<!\d)\d{6}(?!\d)/g) ?? [])
  // Whoever only wants to sign in has shown nothing of what a code looks like.
  showing(
    shownRules().filter((rule) => OF_CODES.includes(rule)),
    () => assert.equal(codes.size, 1, `the mail holds ${codes.size} codes of six digits`),
  )
  return [...codes][0]!
}

/** Rules of the code in a mail. */
const OF_CODES: readonly RuleId[] = ['CONS-02', 'CONS-09', 'CONS-10']

/** Rules of what lets somebody in. */
const OF_SIGNING_IN: readonly RuleId[] = ['CONS-02', 'CONS-03', 'CONS-09', 'CONS-10', 'CONS-11']

/** How long a mail may be on its way (ours). */
const MAIL_MS = 5_000

/** The texts of the mails to an address, the newest first. */
export async function mailsTo(context: Context, email: string): Promise<readonly string[]> {
  return (await context.hooks('readMails', { to: email })).mails.map(({ text }) => text)
}

/** Signs in with a code that is asked for first; `more` goes along with it. */
export async function signIn(browser: Browser, email: string, more: object = {}): Promise<Person> {
  const code = await askCode(browser, email)
  const exchange = await browser.ask('signIn', { body: { email, code, ...more } })
  // Whoever only wants to be signed in has shown nothing of how that is done.
  return showing(
    shownRules().filter((rule) => OF_SIGNING_IN.includes(rule)),
    () => expectSignedIn(browser, email, exchange),
  )
}

/** Asserts that a sign-in let somebody in. */
export function expectSignedIn(browser: Browser, email: string, exchange: Exchange): Person {
  const { created, granted_micros: grantedMicros, me } = told(exchange)
  assert.ok(typeof created === 'boolean', 'created is not told')
  assert.ok(isObject(me) && isObject(me.workspace), 'nobody is told to be signed in')
  assert.equal(me.email, email)
  const [accountId, workspaceId] = [textIn(me, 'id'), textIn(me.workspace, 'id')]
  return { browser, email, accountId, workspaceId, isNew: created, grantedMicros }
}

/** Signs somebody new up, in a browser of that name. */
export function signUp(context: Context, name = 'a browser', more: object = {}): Promise<Person> {
  return signIn(new Browser(context, name), newAddress(), more)
}

/** Signs somebody new up with an invitation's credit. */
export async function signUpWithCredit(context: Context, name?: string): Promise<Person> {
  const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
  return signUp(context, name, { invitation: code })
}

/** A key that somebody makes in the console. */
export interface MadeKey {
  readonly id: string
  readonly apiKey: string
}

/** Makes a key in the console. */
export async function makeKey({ browser }: Person, settings: object = {}): Promise<MadeKey> {
  const made = told(await browser.ask('createKey', { body: { name: 'laptop', ...settings } }), 201)
  const apiKey = textIn(made, 'api_key')
  browser.context.tellSecret(apiKey)
  return { id: textIn(made, 'id'), apiKey }
}

/** Asks the model `chat` at the router with a key, to the end. */
export function chatWith({ context }: Browser, { apiKey }: MadeKey, body: object = {}): Promise<Exchange> {
  return context.chat({ ...body }, { baseUrl: context.target.baseUrl, key: apiKey })
}

/** Asserts a status and a JSON object, and gives it. */
export function told(exchange: Exchange, status = 200): Members {
  expectStatus(exchange, status)
  return objectOf(exchange)
}

/** Asserts a 200 with a list of objects in `data`, and gives them. */
export function rowsOf(exchange: Exchange): readonly Members[] {
  const { data } = told(exchange)
  assert.ok(Array.isArray(data) && data.every(isObject), 'data is no list of objects')
  return data as readonly Members[]
}

/** Asserts that a member is a text, and gives it. */
export function textIn(members: Members, name: string): string {
  const value = members[name]
  assert.ok(typeof value === 'string', `${name} is no text`)
  return value
}
