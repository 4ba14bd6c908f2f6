import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatCode } from '../invitations/code.ts'
import { findInvitation, issueInvitation } from '../invitations/invitations.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { askForCode, findCodeState } from './ask-code.ts'
import { createDigests } from './digests.ts'
import { type EmailAddress, parseEmailAddress } from './email-address.ts'
import { createSession, endSession, listSessions, useSession } from './sessions.ts'
import { type SignedIn, type SignIn, signIn } from './sign-in.ts'
import { sweepSignIns } from './sweep.ts'

const digests = createDigests(() => Buffer.alloc(32, 7))

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  ;({ sql } = await server.open())
})

afterAll(async () => {
  expect((await verifyLedger(sql)).differences).toEqual([])
  await server.stop()
})

let count = 0

/** An address that nobody has used. */
const newEmail = () => parseEmailAddress(`person-${++count}@example.com`)!

/** Somebody at a browser and a source of their own. */
function person(email: EmailAddress = newEmail()) {
  return { email, browser: digests.createToken('browser'), source: `192.0.2.${++count % 250}` }
}

type Person = ReturnType<typeof person>

const ask = (who: Person, code?: string) =>
  askForCode(sql, digests, who, code === undefined ? undefined : () => code)

function show(who: Person, code: string | undefined, others: Partial<SignIn> = {}) {
  const nothing = {
    invitation: undefined,
    workspaceName: undefined,
    sessionToken: undefined,
    userAgent: undefined,
  }
  return signIn(sql, digests, { ...who, code: code ?? 'none', ...nothing, ...others })
}

async function enter(who: Person = person(), others: Partial<SignIn> = {}): Promise<SignedIn> {
  return (await show(who, (await ask(who)).code, others))!
}

test('the first sign-in makes an account with a workspace, the next one signs in to it', async () => {
  const who = person(parseEmailAddress('Ann.Lee@Example.com')!)
  const first = await enter(who)
  expect(first).toMatchObject({
    isNew: true,
    grant: undefined,
    account: { id: expect.stringMatching(/^acc_/), email: 'ann.lee@example.com', workspaceName: 'ann.lee' },
  })
  const second = await enter({ ...who, email: parseEmailAddress('ANN.LEE@EXAMPLE.COM')! })
  expect(second).toMatchObject({ isNew: false, account: first.account })
  expect(second.sessionToken).not.toBe(first.sessionToken)
  expect(await sql`select balance_micros from workspaces where id = ${first.account.workspaceId}`).toEqual([
    { balance_micros: 0n },
  ])
})

test('a code has six digits and lives ten minutes', async () => {
  const who = person()
  const { code, expiresAt } = await ask(who)
  expect(code).toMatch(/^\d{6}$/)
  const [{ now }] = (await sql`select clock_timestamp() as now`) as unknown as [{ now: Date }]
  const seconds = (expiresAt.getTime() - now.getTime()) / 1_000
  expect(seconds).toBeGreaterThan(500)
  expect(seconds).toBeLessThanOrEqual(600)
})

test('a new account gets what its invitation grants, as Invitation credit, and an older one does not', async () => {
  const invitation = await issueInvitation(sql, { grantMicros: 5_000_000n, maxRedemptions: 2 })
  const invited = { invitation: formatCode(invitation.code).toLowerCase(), workspaceName: 'Acme' }
  const who = person()
  const { account, grant } = await enter(who, invited)
  expect(account.workspaceName).toBe('Acme')
  expect(grant).toMatchObject({ grantMicros: 5_000_000n })
  expect(
    await sql`select kind, description, amount_micros from ledger where workspace_id = ${account.workspaceId}`,
  ).toEqual([{ kind: 'invitation', description: 'Invitation credit', amount_micros: 5_000_000n }])
  const uninvited = person()
  await enter(uninvited)
  expect(await enter(uninvited, invited)).toMatchObject({ isNew: false, grant: undefined })
  expect(await findInvitation(sql, invitation.code)).toMatchObject({ redemptions: 1 })
})

test('an invitation that is no good stands in nobody’s way', async () => {
  for (const invitation of ['2222-2222-2222', 'nonsense', '', '\u0000'])
    expect(await enter(person(), { invitation })).toMatchObject({ isNew: true, grant: undefined })
})

test('a code works once', async () => {
  const who = person()
  const { code } = await ask(who)
  expect(await show(who, code)).toBeDefined()
  expect(await show(who, code)).toBeUndefined()
})

test('twenty who show the same code at once sign in once, and make one account', async () => {
  const who = person()
  const { code } = await ask(who)
  const results = await Promise.all(Array.from({ length: 20 }, () => show(who, code)))
  expect(results.filter((result) => result !== undefined)).toHaveLength(1)
  expect(await sql`select from accounts where email = ${who.email}`).toHaveLength(1)
})

test('two browsers that sign up with one address at once make one account and one workspace', async () => {
  const email = newEmail()
  const browsers = Array.from({ length: 6 }, () => person(email))
  const codes = await Promise.all(browsers.map((who) => ask(who)))
  const workspaceName = `Shared by ${email}`
  const results = await Promise.all(browsers.map((who, at) => show(who, codes[at]!.code, { workspaceName })))
  expect(new Set(results.map((result) => result!.account.id)).size).toBe(1)
  expect(results.filter((result) => result!.isNew)).toHaveLength(1)
  expect(await sql`select from workspaces where name = ${workspaceName}`).toHaveLength(1)
})

test('an expired code is wrong, and so is one that another browser, or no browser, asked for', async () => {
  const who = person()
  const { code } = await ask(who)
  expect(await show({ ...who, browser: digests.createToken('browser') }, code)).toBeUndefined()
  expect(await show(who, code, { browser: undefined })).toBeUndefined()
  expect(await findCodeState(sql, digests, who.browser)).toMatchObject({ mail: 'waiting' })
  await sql`
    update sign_in_codes set expires_at = clock_timestamp() where browser_hash = ${digests.browser(who.browser)}`
  expect(await show(who, code)).toBeUndefined()
  expect(await findCodeState(sql, digests, who.browser)).toBeUndefined()
  expect(await sql`select from accounts where email = ${who.email}`).toEqual([])
})

test('a stranger’s wrong tries do not touch the code of the browser that asked', async () => {
  const who = person()
  const { code } = await ask(who)
  for (let at = 0; at < 20; at++) await show({ ...who, browser: digests.createToken('browser') }, '000000')
  expect(await show(who, code)).toBeDefined()
})

test('a code that was mailed to one address signs in to no other', async () => {
  const [who, victim] = [person(), person()]
  const { code } = await ask(who)
  expect(await show({ ...who, email: victim.email }, code)).toBeUndefined()
  expect(await show(who, code)).toBeDefined()
})

test('four wrong tries leave a code alive, and the fifth voids it', async () => {
  const [patient, guesser] = [person(), person()]
  for (const [who, tries, signsIn] of [
    [patient, 4, true],
    [guesser, 5, false],
  ] as const) {
    const { code } = await ask(who, '123456')
    for (let at = 0; at < tries; at++) expect(await show(who, '123457')).toBeUndefined()
    expect((await show(who, code)) !== undefined).toBe(signsIn)
  }
})

test('fifty wrong tries at once are five tries', async () => {
  const who = person()
  await ask(who, '123456')
  await Promise.all(Array.from({ length: 50 }, () => show(who, '123457')))
  expect(await wrongTriesFor(who.email)).toBe(5)
})

test('a browser’s newest code replaces the one before', async () => {
  const who = person()
  const { code: older } = await ask(who, '111111')
  const { code: newer } = await ask(who, '222222')
  expect(await show(who, older)).toBeUndefined()
  expect(await show(who, newer)).toBeDefined()
})

test('what became of the mail is told to the browser that asked; a mail that failed counts as none', async () => {
  const who = person()
  const first = await ask(who)
  await first.note(sql, 'failed')
  expect(await findCodeState(sql, digests, who.browser)).toEqual({
    mail: 'failed',
    expiresAt: first.expiresAt,
  })
  expect(await sql`select from sign_in_events where address_hash = ${digests.address(who.email)}`).toEqual([])
  const second = await ask(who)
  await first.note(sql, 'failed')
  expect(await findCodeState(sql, digests, who.browser)).toMatchObject({ mail: 'waiting' })
  await second.note(sql, 'sent')
  expect(await findCodeState(sql, digests, who.browser)).toMatchObject({ mail: 'sent' })
})

test('a code whose mail failed signs nobody in, and counts as mailed once somebody has guessed at it', async () => {
  const [owner, guesser] = [person(), person()]
  const failed = await ask(owner, '111111')
  await failed.note(sql, 'failed')
  expect(await show(owner, '111111')).toBeUndefined()
  expect(await mailsFor(owner.email)).toBe(0)
  // While the mail server keeps everybody waiting.
  const guessed = await ask({ ...guesser, email: owner.email }, '222222')
  expect(await show({ ...guesser, email: owner.email }, '999999')).toBeUndefined()
  await guessed.note(sql, 'failed')
  expect(await mailsFor(owner.email)).toBe(1)
  expect(await enter(owner)).toMatchObject({ isNew: true })
})

test('of forty who ask at once for one address no more are mailed a code than one after the other', async () => {
  const who = person()
  const browser = () => ({ ...who, browser: digests.createToken('browser') })
  const asked = await Promise.all(Array.from({ length: 40 }, () => ask(browser())))
  expect(asked.filter(({ code }) => code !== undefined)).toHaveLength(10)
})

test('nobody is mailed an eleventh code in an hour, and nobody is told', async () => {
  const who = person()
  for (let at = 0; at < 10; at++) expect((await ask(who)).code).toBeDefined()
  const { code, expiresAt } = await ask(who)
  expect(code).toBeUndefined()
  expect(await findCodeState(sql, digests, who.browser)).toEqual({ mail: 'sent', expiresAt })
  await sql`
    update sign_in_events set at = at - interval '1 hour' where address_hash = ${digests.address(who.email)}`
  expect((await ask(who)).code).toBeDefined()
})

test('10,000 guesses from 50 sources against one address never sign in, and its owner can', async () => {
  const owner = person()
  await enter(owner)
  const SOURCES = 50
  const GUESSES = 200
  const CODE = '000000'
  // The worst of luck for the owner: each code that an attacker has mailed is the one that he would try seventh.
  const results = await Promise.all(
    Array.from({ length: SOURCES }, async (_, source) => {
      let signedIn = 0
      for (let guess = 0; guess < GUESSES; guess++) {
        const attacker = { email: owner.email, browser: `attacker-${source}`, source: `198.51.100.${source}` }
        // A fresh code whenever the last one is void.
        if (guess % 5 === 0) await ask(attacker, CODE)
        const isLucky = guess % 7 === 6 && guess > 14
        if (await show(attacker, isLucky ? CODE : '999999')) signedIn++
      }
      return signedIn
    }),
  )
  expect(results.reduce((sum, signedIn) => sum + signedIn, 0)).toBe(0)
  expect(await wrongTriesFor(owner.email)).toBeLessThan(300)
  expect(await mailsFor(owner.email)).toBeLessThanOrEqual(100)
  // At a browser and a source that nobody has seen, and where she has been before.
  const elsewhere = person(owner.email)
  expect(await enter(elsewhere)).toMatchObject({ isNew: false })
  expect(await enter({ ...owner, source: '198.51.100.7' })).toMatchObject({ isNew: false })
})

test('a session is somebody’s until it is over, and its token is always a new one', async () => {
  const who = person()
  const planted = digests.createToken('session')
  const { sessionToken, account } = await enter(who, { sessionToken: planted, userAgent: 'Firefox\u0000' })
  expect(await useSession(sql, digests, planted)).toBeUndefined()
  expect(sessionToken).not.toBe(planted)
  const open = await useSession(sql, digests, sessionToken)
  expect(open).toMatchObject({ account, hasRolled: false, session: { userAgent: 'Firefox' } })
  const again = await enter(who, { sessionToken })
  expect(await useSession(sql, digests, sessionToken)).toBeUndefined()
  expect(await useSession(sql, digests, again.sessionToken)).toBeDefined()
})

test('a session rolls on for 30 days with its use, and is over 30 days after the last one', async () => {
  const { sessionToken } = await enter()
  const hash = digests.session(sessionToken)
  const { session } = (await useSession(sql, digests, sessionToken))!
  await sql`
    update sessions set used_at = used_at - interval '29 days', expires_at = expires_at - interval '29 days'
    where token_hash = ${hash}`
  const rolled = (await useSession(sql, digests, sessionToken))!
  expect(rolled.hasRolled).toBe(true)
  expect(rolled.session.expiresAt.getTime()).toBeGreaterThanOrEqual(session.expiresAt.getTime())
  await sql`
    update sessions set used_at = used_at - interval '30 days', expires_at = expires_at - interval '30 days'
    where token_hash = ${hash}`
  expect(await useSession(sql, digests, sessionToken)).toBeUndefined()
})

test('an account has fifty sessions at most, and a newer one ends the oldest', async () => {
  const who = person()
  const { account, sessionToken: oldest } = await enter(who)
  await sql`update sessions set created_at = created_at - interval '1 day' where account_id = ${account.id}`
  const tokens = await Promise.all(
    Array.from({ length: 49 }, () => createSession(sql, digests, account.id, undefined)),
  )
  expect(await useSession(sql, digests, oldest)).toBeDefined()
  await createSession(sql, digests, account.id, undefined)
  expect(await useSession(sql, digests, oldest)).toBeUndefined()
  expect(await useSession(sql, digests, tokens[0]!)).toBeDefined()
  expect(await listSessions(sql, account.id)).toHaveLength(50)
})

test('sessions are listed and ended by their owner alone', async () => {
  const who = person()
  const [one, other, stranger] = [await enter(who), await enter(who), await enter()]
  const sessions = await listSessions(sql, one.account.id)
  const ids = sessions.map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect(await endSession(sql, stranger.account.id, ids[0]!)).toBe(false)
  expect(await useSession(sql, digests, other.sessionToken)).toBeDefined()
  expect(await endSession(sql, one.account.id, ids[0]!)).toBe(true)
  expect(await endSession(sql, one.account.id, ids[0]!)).toBe(false)
  expect(await useSession(sql, digests, other.sessionToken)).toBeUndefined()
  expect(await listSessions(sql, one.account.id)).toHaveLength(1)
})

test('what stands in the tables opens nothing: no code, no token and, before an account, no address', async () => {
  const who = person()
  const { code } = await ask(who)
  const rows = JSON.stringify([
    await sql`select to_jsonb(kept) from sign_in_codes kept`,
    await sql`select to_jsonb(kept) from sign_in_events kept`,
  ])
  expect(rows).toContain(digests.browser(who.browser).toString('hex'))
  for (const secret of [code!, who.email, who.browser, who.source]) {
    expect(rows).not.toContain(`"${secret}`)
    expect(rows).not.toContain(Buffer.from(secret).toString('hex'))
  }
})

test('what is over is forgotten, and nothing else is', async () => {
  const who = person()
  const { sessionToken, account } = await enter(who)
  await ask(who)
  await sweepSignIns(sql)
  expect(await useSession(sql, digests, sessionToken)).toBeDefined()
  expect(await findCodeState(sql, digests, who.browser)).toBeDefined()
  await sql`update sign_in_codes set expires_at = clock_timestamp() - interval '1 second'`
  await sql`update sign_in_events set at = at - interval '1 day'`
  await sql`update known_browsers set until = clock_timestamp()`
  await sql`update sessions set expires_at = clock_timestamp() where account_id = ${account.id}`
  await sweepSignIns(sql)
  expect(await sql`select from sign_in_codes`).toEqual([])
  expect(await sql`select from sign_in_events`).toEqual([])
  expect(await sql`select from known_browsers`).toEqual([])
  expect(await sql`select from sessions where account_id = ${account.id}`).toEqual([])
})

async function wrongTriesFor(email: EmailAddress): Promise<number> {
  return (
    await sql`select from sign_in_events where kind = 'wrong' and address_hash = ${digests.address(email)}`
  ).length
}

async function mailsFor(email: EmailAddress): Promise<number> {
  return (
    await sql`select from sign_in_events where kind = 'mail' and address_hash = ${digests.address(email)}`
  ).length
}
