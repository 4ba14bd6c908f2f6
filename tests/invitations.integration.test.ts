import { afterAll, beforeAll, expect, test } from 'vitest'
import { isInvitation } from '#contract/validators/invitation'
import { formatCode } from '../server/invitations/code.ts'
import { issueInvitation, type NewInvitation, withdrawInvitation } from '../server/invitations/invitations.ts'
import { redeemInvitation } from '../server/invitations/redeem.ts'
import { type Account, chat, type Service, startService } from './service.ts'

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({ trustedProxies: ['127.0.0.1'], corsOrigins: ['https://app.example'] })
  account = await service.createAccount(5_000_000n)
})

afterAll(() => service.stop())

let sources = 0

/** Looks a code up, each time from another address unless one is given. */
function lookUp(code: string, source = `198.51.100.${++sources}`, headers: Record<string, string> = {}) {
  return fetch(`${service.baseUrl}/invites/${code}`, { headers: { 'x-forwarded-for': source, ...headers } })
}

const issue = (more: Partial<NewInvitation> = {}) =>
  issueInvitation(service.sql, { grantMicros: 5_000_000n, note: 'canary-note', ...more })

test('anybody sees what a code grants, and nothing that is the operator’s', async () => {
  const expiresAt = new Date('2100-01-01T00:00:00Z')
  const { code } = await issue({ description: 'Welcome', expiresAt, maxRedemptions: 7 })
  const response = await lookUp(formatCode(code))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-request-id')).toMatch(/^req-/)
  const body = await response.json()
  expect(isInvitation(body)).toBe(true)
  expect(body).toEqual({
    object: 'invitation',
    code: formatCode(code),
    grant_micros: 5_000_000,
    description: 'Welcome',
    expires_at: '2100-01-01T00:00:00.000Z',
  })
})

test('case and separators do not matter, and neither does a key', async () => {
  const { code } = await issue()
  const expected = await (await lookUp(code)).json()
  expect(expected).toMatchObject({ code: formatCode(code), expires_at: null })
  for (const spelt of [formatCode(code).toLowerCase(), formatCode(code).replaceAll('-', '%20'), `${code}.`]) {
    const response = await lookUp(spelt, undefined, { authorization: 'Bearer nonsense' })
    expect(await response.json()).toEqual(expected)
  }
})

test('a database that does not answer keeps nobody waiting for longer than an outage may take', async () => {
  const { code } = await issue()
  const answer = await service.sql.begin(async (transaction) => {
    await transaction`lock table invitations in access exclusive mode`
    return lookUp(code)
  })
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ error: { code: 'internal' } })
})

test('unknown, expired, used up and withdrawn codes are one and the same 404', async () => {
  const expired = await issue({ expiresAt: new Date('2020-01-01') })
  const withdrawn = await issue()
  await withdrawInvitation(service.sql, withdrawn.code)
  const used = await issue()
  const { workspaceId } = account
  await redeemInvitation(service.sql, { accountId: 'acc_1', workspaceId, code: used.code })
  const codes = [
    expired.code,
    withdrawn.code,
    used.code,
    '2222-2222-2222',
    'O',
    '%20',
    '%E0%A4%A',
    'a/b',
    'a'.repeat(2_000),
  ]
  const answers = await Promise.all(
    codes.map(async (code) => {
      const response = await lookUp(code, undefined, { 'x-request-id': 'same' })
      const headers = Object.fromEntries(response.headers)
      delete headers.date
      return { status: response.status, headers, body: await response.text() }
    }),
  )
  expect(answers[0]!.status).toBe(404)
  expect(JSON.parse(answers[0]!.body)).toEqual({
    error: {
      message: 'No such invitation.',
      type: 'invalid_request_error',
      code: 'not_found',
      param: 'code',
    },
  })
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

test('looking up changes nothing', async () => {
  const { id, code } = await issue()
  for (let times = 0; times < 3; times++) expect((await lookUp(code)).status).toBe(200)
  expect(await service.sql`select redemptions from invitations where id = ${id}`).toEqual([
    { redemptions: 0 },
  ])
})

test('each source address has thirty look-ups a minute, apart from anybody’s traffic', async () => {
  const { code } = await issue()
  const source = '203.0.113.9'
  const statuses = []
  let refusal: Response | undefined
  for (let times = 0; times < 34; times++) {
    const response = await lookUp(times % 2 === 0 ? code : '2222-2222-2222', source)
    statuses.push(response.status)
    if (response.status === 429) refusal ??= response
  }
  expect(statuses.slice(0, 30)).not.toContain(429)
  expect(statuses.slice(30)).toContain(429)
  expect(refusal!.headers.get('x-ratelimit-limit')).toBe('30')
  expect(refusal!.headers.get('x-ratelimit-remaining')).toBe('0')
  expect(Number(refusal!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(Number(refusal!.headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(1)
  expect(Number(refusal!.headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_700_000_000)
  expect(await refusal!.json()).toMatchObject({
    error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
  })
  expect((await lookUp(code)).status).toBe(200)
  expect((await chat(service, account.apiKey, {})).status).toBe(200)
})

test('a page of an allowed origin may read the answer, a refusal too', async () => {
  const { code } = await issue()
  for (const each of [code, '2222-2222-2222']) {
    const response = await lookUp(each, undefined, { origin: 'https://app.example' })
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
  }
})

test('other methods and paths are not found', async () => {
  const { code } = await issue()
  const posted = await fetch(`${service.baseUrl}/invites/${code}`, { method: 'POST' })
  expect(posted.status).toBe(404)
  expect((await fetch(`${service.baseUrl}/invites`)).status).toBe(404)
})
