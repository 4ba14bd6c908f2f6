import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueInvitation } from '../server/invitations/invitations.ts'
import type { Log, LogFields } from '../server/log.ts'
import { startMailServer } from '../server/mail/testing.ts'
import { mailsTo, openBrowser } from './browser.ts'
import { chat, type Service, startService } from './service.ts'

let service: Service
const lines: string[] = []
const told: string[] = []

const note = (message: string, fields?: LogFields) => {
  lines.push(`${message} ${JSON.stringify(fields)} ${String((fields?.error as Error)?.stack)}`)
}
const log: Log = { info: note, warn: note, error: note }

beforeAll(async () => {
  service = await startService({
    console: { administrators: ['Ada@Example.com'] },
    trustedProxies: ['127.0.0.1'],
    log,
    tell: (line) => told.push(line),
  })
})

afterAll(async () => {
  expect(lines.join('\n')).not.toMatch(/@example\.com|\b\d{6}\b.*code/i)
  await service.stop()
})

let people = 0

/** Somebody new, at a browser and a source address of their own. */
function somebody() {
  people++
  return { email: `person-${people}@example.com`, browser: openBrowser(service, `192.0.2.${people}`) }
}

test('somebody signs up with an invitation and has its credit, and signs in again without one', async () => {
  const { email, browser } = somebody()
  const { code: invitation } = await issueInvitation(service.sql, { grantMicros: 5_000_000n })
  const first = await browser.signIn(email, { invitation, workspace_name: 'Acme <b>&' })
  expect(first).toMatchObject({
    status: 200,
    body: {
      created: true,
      granted_micros: 5_000_000,
      me: { email, workspace: { name: 'Acme <b>&' }, administrator: false },
    },
  })
  expect(await service.balanceOf(first.body.me.workspace.id)).toBe(5_000_000n)
  expect((await browser.call('GET', '/me')).body).toEqual(first.body.me)
  const second = await openBrowser(service).signIn(email.toUpperCase())
  expect(second.body).toMatchObject({ created: false, granted_micros: null, me: { id: first.body.me.id } })
  expect((await service.verify()).differences).toEqual([])
})

test('cookies are out of scripts’ reach, for the API alone, and Secure where the console is reached by https', async () => {
  const { email, browser } = somebody()
  const asked = await openBrowser(service).call('POST', '/sign-in/codes', { email: 'else@example.com' })
  const { headers } = await browser.signIn(email)
  for (const [cookie] of [asked.headers.getSetCookie(), headers.getSetCookie()]) {
    expect(cookie).toMatch(/; Path=\/console\/api; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  }
  expect(headers.getSetCookie()[0]).toContain('Max-Age=2592000')
  const secure = await startService({ console: { publicUrl: 'https://router.localhost' } })
  try {
    const { headers: set } = await openBrowser(secure).call(
      'POST',
      '/sign-in/codes',
      { email },
      { origin: 'https://router.localhost' },
    )
    expect(set.getSetCookie()[0]).toMatch(/; Secure$/)
  } finally {
    await secure.stop()
  }
})

test('the answer is the same for an address that has an account and one that has none', async () => {
  const { email, browser } = somebody()
  await browser.signIn(email)
  const answers = []
  for (const address of [email, 'nobody@example.com', 'ada@example.com']) {
    const { status, body, headers } = await openBrowser(service, '198.51.100.1').call(
      'POST',
      '/sign-in/codes',
      {
        email: address,
      },
    )
    answers.push({ status, members: Object.keys(body), names: [...headers.keys()].sort() })
  }
  expect(answers[0]).toMatchObject({ status: 202, members: ['expires_at'] })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

test('a code of another browser, one that was used and one that was tried too often are invalid_code', async () => {
  const { email, browser } = somebody()
  const wrong = { status: 400, body: { error: { code: 'invalid_code', param: 'code' } } }
  const code = await browser.askCode(email)
  expect(await openBrowser(service).call('POST', '/sign-in', { email, code })).toMatchObject(wrong)
  expect((await browser.call('POST', '/sign-in', { email, code })).status).toBe(200)
  expect(await browser.call('POST', '/sign-in', { email, code })).toMatchObject(wrong)
  const second = await browser.askCode(email)
  const guess = second === '000000' ? '000001' : '000000'
  for (let at = 0; at < 5; at++)
    expect(await browser.call('POST', '/sign-in', { email, code: guess })).toMatchObject(wrong)
  expect(await browser.call('POST', '/sign-in', { email, code: second })).toMatchObject(wrong)
})

test('a session that somebody has laid into the browser is of no use to him', async () => {
  const { email, browser } = somebody()
  const planted = 'p'.repeat(43)
  browser.cookies.set('console_session', planted)
  expect((await browser.signIn(email)).status).toBe(200)
  expect(browser.cookies.get('console_session')).not.toBe(planted)
  const thief = openBrowser(service)
  thief.cookies.set('console_session', planted)
  expect((await thief.call('GET', '/me')).status).toBe(401)
})

test.each([
  ['no origin', ''],
  ['another origin', 'https://evil.example'],
  ['the origin of a sandbox', 'null'],
])('a change with %s is refused, and nothing is done', async (_, origin) => {
  const { email, browser } = somebody()
  await browser.signIn(email)
  const mails = (await mailsTo(service.outboxUrl, email)).length
  const refused = { status: 403, body: { error: { code: 'forbidden_origin' } } }
  for (const [method, path, body] of [
    ['DELETE', '/session', undefined],
    ['POST', '/sign-in/codes', { email }],
    ['POST', '/sign-in', { email, code: '000000' }],
  ] as const) {
    const headers = origin === '' ? { origin: '' } : { origin }
    expect(await browser.call(method, path, body, headers)).toMatchObject(refused)
  }
  expect((await browser.call('GET', '/me')).status).toBe(200)
  expect(await mailsTo(service.outboxUrl, email)).toHaveLength(mails)
})

test('signing out ends the session at the server', async () => {
  const { email, browser } = somebody()
  await browser.signIn(email)
  const stolen = new Map(browser.cookies)
  const { status, headers } = await browser.call('DELETE', '/session')
  expect([status, headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  for (const [name, value] of stolen) browser.cookies.set(name, value)
  expect(await browser.call('GET', '/me')).toMatchObject({
    status: 401,
    body: { error: { code: 'session_required', type: 'authentication_error' } },
  })
})

test('an account sees its own sessions and ends them; another one’s are not there', async () => {
  const { email, browser } = somebody()
  const phone = openBrowser(service)
  await browser.signIn(email)
  await phone.signIn(email)
  const { body } = await browser.call('GET', '/sessions')
  expect(body.data.map(({ current }: { current: boolean }) => current)).toEqual([false, true])
  const other = body.data[0].id
  const stranger = somebody()
  await stranger.browser.signIn(stranger.email)
  expect((await stranger.browser.call('DELETE', `/sessions/${other}`)).status).toBe(404)
  expect((await phone.call('GET', '/me')).status).toBe(200)
  expect((await browser.call('DELETE', `/sessions/${other}`)).status).toBe(204)
  expect((await phone.call('GET', '/me')).status).toBe(401)
  expect((await browser.call('DELETE', `/sessions/${other}`)).status).toBe(404)
})

test('whom the configuration names is an administrator, and nobody else is served as one', async () => {
  const ada = openBrowser(service, '198.51.100.7')
  expect((await ada.signIn('ADA@example.com')).body.me.administrator).toBe(true)
  expect((await ada.call('GET', '/me')).body.administrator).toBe(true)
})

test('what is no request of the contract is told, in the shape of every error, and nothing of it is repeated', async () => {
  const { browser } = somebody()
  const long = `${'a'.repeat(320)}@example.com`
  for (const [body, status, code, param] of [
    [{ email: 'no address' }, 400, 'unsupported_parameter', 'email'],
    [{ email: long }, 400, 'unsupported_parameter', 'email'],
    [{}, 400, 'missing_field', 'email'],
    [{ email: 7 }, 400, 'missing_field', 'email'],
    [{ email: 'a@b.example', secret: 1 }, 400, 'unsupported_parameter', undefined],
    [[], 400, 'invalid_json', undefined],
    ['x'.repeat(200_000), 413, 'request_too_large', undefined],
  ] as const) {
    const answer = await browser.call('POST', '/sign-in/codes', body)
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param])
    expect(JSON.stringify(answer.body)).not.toMatch(/no address|secret|aaaa|xxxx/)
  }
  const form = { 'content-type': 'text/plain' }
  expect((await browser.call('POST', '/sign-in/codes', { email: 'a@b.example' }, form)).status).toBe(415)
  expect((await browser.call('GET', '/sign-in/codes/current?x=1')).body.error).toMatchObject({
    code: 'unsupported_parameter',
    param: 'x',
  })
  expect((await browser.call('GET', '/nothing')).status).toBe(404)
})

test('no answer is kept, shown in another page, or lent to other origins', async () => {
  const { browser } = somebody()
  for (const answer of [
    await browser.call('GET', '/me'),
    await browser.call('GET', '/nothing'),
    await browser.call('OPTIONS', '/me', undefined, { origin: 'https://evil.example' }),
  ]) {
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect([401, 404]).toContain(answer.status)
  }
})

test('an address may ask for ten codes and try ten times a minute, each on a budget of its own', async () => {
  const browser = openBrowser(service, '203.0.113.9')
  const ask = (at: number) => browser.call('POST', '/sign-in/codes', { email: `many-${at}@example.com` })
  for (let at = 0; at < 10; at++) expect((await ask(at)).status).toBe(202)
  const refused = await ask(10)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const attempt = () => browser.call('POST', '/sign-in', { email: 'many-0@example.com', code: '000000' })
  for (let at = 0; at < 10; at++) expect((await attempt()).status).toBe(400)
  expect((await attempt()).status).toBe(429)
})

test('fifty sources that guess at an address get nowhere, and keep its owner out for not a moment', async () => {
  const { email, browser: owner } = somebody()
  await owner.signIn(email)
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const guesser = openBrowser(service, `203.0.113.${100 + at}`)
      await guesser.call('POST', '/sign-in/codes', { email })
      const seen = []
      for (let guess = 0; guess < 15; guess++)
        seen.push((await guesser.call('POST', '/sign-in', { email, code: '000000' })).status)
      return seen
    }),
  )
  expect(new Set(statuses.flat())).toEqual(new Set([400, 429]))
  expect((await owner.signIn(email)).status).toBe(200)
  expect((await openBrowser(service, '192.0.2.250').signIn(email)).status).toBe(200)
  expect((await mailsTo(service.outboxUrl, email)).length).toBeLessThan(100)
})

test('what became of the mail is told to the browser that asked for it', async () => {
  const { email, browser } = somebody()
  expect((await browser.call('GET', '/sign-in/codes/current')).status).toBe(404)
  await browser.askCode(email)
  await expect.poll(async () => (await browser.call('GET', '/sign-in/codes/current')).body.state).toBe('sent')
  expect((await openBrowser(service).call('GET', '/sign-in/codes/current')).status).toBe(404)
})

test('a mail server that is away is told to the person and to the log, without address or code', async () => {
  const gone = await startMailServer({ disabledCommands: ['STARTTLS'] })
  await gone.stop()
  const mail = {
    url: `smtp://127.0.0.1:${gone.port}`,
    from: 'router@localhost',
    credentials: undefined,
    requireTls: false,
    caFile: undefined,
  }
  const before = lines.length
  const away = await startService({ console: { mail }, log })
  try {
    const browser = openBrowser(away)
    expect((await browser.call('POST', '/sign-in/codes', { email: 'ann@example.com' })).status).toBe(202)
    await expect
      .poll(async () => (await browser.call('GET', '/sign-in/codes/current')).body.state)
      .toBe('failed')
  } finally {
    await away.stop()
  }
  expect(lines.slice(before).join('\n')).toContain('a sign-in mail was not sent {"reason":"unreachable"')
})

test('development is told the code', async () => {
  const { email, browser } = somebody()
  const code = await browser.askCode(email)
  expect(told).toContain(`Sign-in code for ${email}: ${code}`)
})

test('the page is beside the API, and each is guarded by headers of its own', async () => {
  const page = await fetch(`${service.consoleUrl}/console/keys`, {
    headers: { origin: 'https://evil.example' },
  })
  // 503 where nobody has built it.
  expect([200, 503]).toContain(page.status)
  expect(page.headers.get('cache-control')).toContain('no-store')
  expect(page.headers.get('access-control-allow-origin')).toBeNull()
  expect(page.headers.get('x-request-id')).toBeTruthy()
  const { pathname } = new URL((await fetch(`${service.consoleUrl}/console`)).url)
  expect(pathname).toBe('/console/')
})

test('without a console nothing is there', async () => {
  const bare = await startService()
  try {
    const url = bare.baseUrl.replace('/v1', '/console/api/me')
    expect((await fetch(url)).status).toBe(404)
  } finally {
    await bare.stop()
  }
})

test('whoever waits for the console keeps nobody waiting who pays for answers', async () => {
  const { email, browser } = somebody()
  await browser.signIn(email)
  const { apiKey } = await service.createAccount(1_000_000n)
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = service.sql.begin(async (transaction) => {
    await transaction`lock table sessions in access exclusive mode`
    locked.resolve()
    await isOver
  })
  await locked.promise
  const waiting = Array.from({ length: 30 }, () => browser.call('GET', '/me'))
  expect((await chat(service, apiKey, {})).status).toBe(200)
  release()
  await locking
  // On a busy machine some may have waited for longer than they do.
  for (const { status } of await Promise.all(waiting)) expect([200, 503]).toContain(status)
})

test('a database that is away is said, and the session goes on when it is back', async () => {
  const { email, browser } = somebody()
  await browser.signIn(email)
  await service.server.embedded.stop()
  expect(await browser.call('GET', '/me')).toMatchObject({
    status: 503,
    body: { error: { code: 'overloaded' } },
  })
  // What nobody has made is not even looked for.
  const headers = { cookie: `console_session=${'A'.repeat(43)}` }
  expect((await fetch(`${service.consoleUrl}/console/api/me`, { headers })).status).toBe(401)
  await service.server.embedded.ensureRunning()
  await expect.poll(async () => (await browser.call('GET', '/me')).status, { timeout: 30_000 }).toBe(200)
})
