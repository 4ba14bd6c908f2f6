import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createMailer } from '../mail/mailer.ts'
import { createCodeMail } from '../mail/sign-in-mail.ts'
import { type Outbox, openOutbox } from './outbox.ts'

let outbox: Outbox | undefined

afterEach(() => outbox?.stop())

const open = async () => {
  outbox = await openOutbox({ host: '127.0.0.1', port: 0 })
  return { mailer: createMailer(outbox.mail), base: `http://127.0.0.1:${outbox.port}` }
}

const mailWith = (code: string) =>
  createCodeMail({ to: 'ann@example.com', code, console: 'http://127.0.0.1/console/' })

test('a mail that was sent stands in the outbox, the newest first, and went to nobody', async () => {
  const { mailer, base } = await open()
  expect(await (await fetch(base)).text()).toContain('None yet.')
  for (const code of ['111111', '222222']) await mailer.send(mailWith(code))
  const { data } = (await (await fetch(`${base}/mails`)).json()) as { data: Record<string, string>[] }
  expect(data.map(({ to }) => to)).toEqual([['ann@example.com'], ['ann@example.com']])
  expect(data.map(({ text }) => /^\d{6}$/m.exec(text!)?.[0])).toEqual(['222222', '111111'])
  const page = await (await fetch(base)).text()
  expect(page.indexOf('222222')).toBeLessThan(page.indexOf('111111'))
})

test('nothing of a mail is taken for markup', async () => {
  const { mailer, base } = await open()
  await mailer.send({
    to: 'a@b.example',
    subject: '<script>1</script>',
    text: '<img src=x>',
    html: '<b>x</b>',
  })
  const response = await fetch(base)
  expect(await response.text()).not.toMatch(/<script>|<img/)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('the outbox keeps the newest hundred mails', async () => {
  const { mailer, base } = await open()
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, () => mailer.send(mailWith('111111'))))
  for (const count of [40, 40, 21]) await send(count)
  const { data } = (await (await fetch(`${base}/mails`)).json()) as { data: { id: number }[] }
  expect([data.length, data[0]!.id, data.at(-1)!.id]).toEqual([100, 101, 2])
})

test('a name of the web that leads to this machine is refused, and so is any change', async () => {
  const { base } = await open()
  const { port } = new URL(base)
  const foreign = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/mails', headers: { host: 'evil.example' } }, (response) =>
      text(response).then((body) => resolve({ status: response.statusCode!, body }), reject),
    )
      .on('error', reject)
      .end()
  })
  expect(foreign.status).toBe(403)
  expect((await fetch(base, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${base}/other`)).status).toBe(404)
})

test('an outbox opens on loopback or not at all', async () => {
  await expect(openOutbox({ host: '0.0.0.0', port: 0 })).rejects.toThrow(/loopback/)
})
