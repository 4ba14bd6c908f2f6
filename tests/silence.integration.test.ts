import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { issueInvitation } from '../server/invitations/invitations.ts'
import { timeOf } from './pace.ts'
import { type Account, chat, demoModel, type Service, startService } from './service.ts'

const MAX_BODY_BYTES = 200_000

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url),
      demoModel(url, {
        id: 'demo/other',
        backends: [{ url, model: 'other', apiKey: undefined, usage: 'final' }],
      }),
    ],
    limits: { maxBodyBytes: MAX_BODY_BYTES },
  })
  account = await service.createAccount(500_000_000n)
})

afterAll(() => service.stop())

test('announcing large bodies and sending nothing holds nobody up', async () => {
  const { port } = new URL(service.baseUrl)
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.apiKey}\r\nContent-Length: ${MAX_BODY_BYTES}\r\n\r\n{`
  const idlers = Array.from({ length: 2_000 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head)
    return socket
  })
  await Promise.all(idlers.map((socket) => once(socket, 'connect')))
  expect((await chat(service, account.apiKey, {})).status).toBe(200)
  for (const socket of idlers) socket.destroy()
})

test('a model whose backend is silent holds no other model up', async () => {
  await service.backend.play({ rules: [{ model: 'other', fault: { kind: 'silence' } }] })
  const left = new AbortController()
  const ask = () => Promise.all([1, 2, 3].map(() => chat(service, account.apiKey, {})))
  const usualMs = await timeOf(ask)
  const waiting = Array.from({ length: 200 }, () =>
    chat(service, account.apiKey, { model: 'demo/other' }, { signal: left.signal }).catch(() => undefined),
  )
  await vi.waitUntil(() => service.backend.connections().inFlight >= 200, { timeout: 60_000, interval: 10 })
  const begun = performance.now()
  const answers = await ask()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(performance.now() - begun).toBeLessThan(Math.max(2_000, 10 * usualMs))
  left.abort()
  await Promise.all(waiting)
  await service.backend.play({})
})

test('a database that does not answer keeps nobody waiting for longer than an outage may take', async () => {
  const { code } = await issueInvitation(service.sql, { grantMicros: 5_000_000n, note: 'none' })
  const answer = await service.sql.begin(async (transaction) => {
    await transaction`lock table invitations in access exclusive mode`
    return fetch(`${service.baseUrl}/invites/${code}`)
  })
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ error: { code: 'internal' } })
})
