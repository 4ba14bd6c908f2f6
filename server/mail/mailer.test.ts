import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import PostalMime from 'postal-mime'
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createIdentity, type Identity } from '../../egress/testing/identity.ts'
import type { MailConfig } from '../config/console.ts'
import { listen } from '../listen.ts'
import { createMailer, MailError } from './mailer.ts'
import { createCodeMail } from './sign-in-mail.ts'
import { startMailServer } from './testing.ts'

/** On this machine, but not by its address: a name that has to be looked up and proved. */
const HOSTNAME = 'localhost'

const identity = createIdentity(HOSTNAME)
const mail = createCodeMail({
  to: 'ann@example.com',
  code: '012345',
  console: 'https://router.example/console/',
})
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function mailServer(options: SMTPServerOptions = {}) {
  const server = await startMailServer({ key: identity.pem, cert: identity.pem, ...options })
  stops.push(() => server.stop())
  return server
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailer-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function mailer(url: string, { user, trusting = identity, timeoutMs }: Partial<Wanted> = {}) {
  const caFile = join(folder, `${trusting.fingerprint.replaceAll('/', '-')}.pem`)
  writeFileSync(caFile, trusting.pem)
  const config: MailConfig = {
    url,
    from: 'Router <router@router.example>',
    credentials: user === undefined ? undefined : { user, password: 'p w' },
    requireTls: url.includes(HOSTNAME),
    caFile,
  }
  return createMailer(config, timeoutMs)
}

interface Wanted {
  readonly user: string
  readonly trusting: Identity
  readonly timeoutMs: number
}

async function failure(sending: Promise<void>): Promise<MailError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(MailError)
  return error as MailError
}

test('a code is mailed as text and as plain HTML, and does not stand in the subject', async () => {
  const server = await mailServer()
  await mailer(`smtp://127.0.0.1:${server.port}`).send(mail)
  const [{ raw, isEncrypted }] = server.mails as [(typeof server.mails)[0]]
  expect(isEncrypted).toBe(false)
  const { from, to, subject, text, html, headers } = await PostalMime.parse(raw)
  expect(from).toMatchObject({ name: 'Router', address: 'router@router.example' })
  expect(to).toMatchObject([{ address: 'ann@example.com' }])
  expect(text).toMatch(/^012345$/m)
  expect(html).toContain('<strong>012345</strong>')
  expect(html).not.toMatch(/<(img|a|script|style|link)\b/)
  expect(subject).not.toContain('012345')
  expect(headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }))
})

test('smtp:// elsewhere turns to TLS before anything is said, and logs in', async () => {
  const server = await mailServer({
    onAuth: ({ username, password }, _, done) =>
      done(null, username === 'ann' && password === 'p w' ? { user: 'ann' } : {}),
  })
  await mailer(`smtp://${HOSTNAME}:${server.port}`, { user: 'ann' }).send(mail)
  expect(server.mails).toMatchObject([{ isEncrypted: true, user: 'ann' }])
})

test('smtps:// speaks TLS from the first byte', async () => {
  const server = await mailServer({ secure: true })
  await mailer(`smtps://${HOSTNAME}:${server.port}`).send(mail)
  expect(server.mails).toMatchObject([{ isEncrypted: true }])
})

test('a server without STARTTLS, or with a certificate of nobody’s, is told nothing', async () => {
  const open = await mailServer({ disabledCommands: ['STARTTLS'] })
  const stranger = await mailServer()
  expect(await failure(mailer(`smtp://${HOSTNAME}:${open.port}`).send(mail))).toMatchObject({ reason: 'tls' })
  const trusting = mailer(`smtp://${HOSTNAME}:${stranger.port}`, { trusting: createIdentity(HOSTNAME) })
  expect(await failure(trusting.send(mail))).toMatchObject({ reason: 'tls' })
  expect([...open.mails, ...stranger.mails]).toEqual([])
})

test('a password that is refused is told as such', async () => {
  const server = await mailServer({ onAuth: (_, __, done) => done(new Error('no')) })
  const error = await failure(mailer(`smtp://${HOSTNAME}:${server.port}`, { user: 'ann' }).send(mail))
  expect(error).toMatchObject({ reason: 'credentials', replyCode: 535 })
})

test('a refusal names neither the address nor what the server said', async () => {
  const server = await mailServer({
    onRcptTo: ({ address }, _, done) =>
      done(Object.assign(new Error(`no such mailbox: ${address}`), { responseCode: 550 })),
  })
  const error = await failure(mailer(`smtp://127.0.0.1:${server.port}`).send(mail))
  expect(error).toMatchObject({ reason: 'refused', code: 'EENVELOPE', replyCode: 550 })
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/ann@|012345|no such mailbox/)
  expect(error.cause).toBeUndefined()
})

test('a server that is away, or that hangs, is unreachable', async () => {
  const hanging = createServer((socket) => socket.pipe(new PassThrough()))
  const port = await listen(hanging as never, { host: '127.0.0.1', port: 0 })
  stops.push(() => new Promise((resolve) => hanging.close(() => resolve())))
  const hung = mailer(`smtp://127.0.0.1:${port}`, { timeoutMs: 100 })
  expect(await failure(hung.send(mail))).toMatchObject({ reason: 'unreachable' })
  const gone = await startMailServer({ disabledCommands: ['STARTTLS'] })
  await gone.stop()
  const away = mailer(`smtp://127.0.0.1:${gone.port}`)
  expect(await failure(away.send(mail))).toMatchObject({ reason: 'unreachable' })
})

test('no more than fifty mails wait for a server', async () => {
  const server = await mailServer({
    onConnect: (_, done) => {
      void held.then(() => done())
    },
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { send } = mailer(`smtp://127.0.0.1:${server.port}`)
  const sending = Array.from({ length: 50 }, () => send(mail))
  expect(await failure(send(mail))).toMatchObject({ reason: 'busy' })
  release()
  await Promise.all(sending)
  expect(server.mails).toHaveLength(50)
})
