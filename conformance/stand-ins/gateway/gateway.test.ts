import { X509Certificate } from 'node:crypto'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EvidenceBundle } from '#contract/models'
import { type Gateway, startGateway } from './gateway.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway('upstream.localhost')
})

afterAll(() => gateway.close())

interface Answered {
  readonly status: number | undefined
  readonly body: string
  readonly leaf: string
}

/** Over a connection of its own; who is at its other end is looked at by whoever asks. */
function ask(path: string, body = ''): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false, servername: gateway.hostname })
    const asked = request(
      new URL(path, gateway.url),
      { agent, method: body === '' ? 'GET' : 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        const leaf = (response.socket as TLSSocket).getPeerX509Certificate()?.toString() ?? ''
        text(response).then((body) => resolve({ status: response.statusCode, body, leaf }), reject)
      },
    )
    asked.on('error', reject).end(body)
  })
}

const EVIDENCE = '/.well-known/platform-evidence'

const claimed = ({ body }: Answered) =>
  new X509Certificate((JSON.parse(body) as Required<EvidenceBundle>).tlsLeaf)

test('it publishes a bundle that names the certificate it shows, and passes the rest on', async () => {
  const evidence = await ask(EVIDENCE)
  expect(evidence).toMatchObject({ status: 200, body: gateway.published[0]!.toString() })
  expect(claimed(evidence).toString()).toBe(evidence.leaf)
  expect([gateway.asked, gateway.sent.length]).toEqual([1, 0])
  const chat = { model: 'x', messages: [{ role: 'user', content: 'Hello' }] }
  expect(await ask('/v1/chat/completions', JSON.stringify(chat))).toMatchObject({ status: 200 })
  expect(gateway.sent.map(({ url }) => url)).toEqual(['/v1/chat/completions'])
})

test('a certificate that it does not publish is shown all the same', async () => {
  await gateway.renewLeaf({ isPublished: false })
  const swapped = await ask(EVIDENCE)
  expect(claimed(swapped).toString()).not.toBe(swapped.leaf)
  await gateway.renewLeaf()
  const renewed = await ask(EVIDENCE)
  expect(claimed(renewed).toString()).toBe(renewed.leaf)
})

test('it deploys something else, and answers evidence as it is told', async () => {
  const { digest } = gateway
  await gateway.deploy('second')
  expect(gateway.digest).not.toBe(digest)
  expect((await ask(EVIDENCE)).body).toBe(gateway.published.at(-1)!.toString())
  gateway.answer({ status: 404, body: 'gone' })
  expect(await ask(EVIDENCE)).toMatchObject({ status: 404, body: 'gone' })
  gateway.answer()
  expect((await ask(EVIDENCE)).status).toBe(200)
})
