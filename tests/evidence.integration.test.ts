import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { isEvidenceNotFoundBody } from '#contract/validators/evidence-not-found-body'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { type Account, chat, demoModel, type Service, startService } from './service.ts'

let gateway: TestGateway
let service: Service
let account: Account

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:1')
  const { endpoint } = gateway
  const silent = { hostname: 'silent.example', url: 'https://127.0.0.1:1/', caFile: undefined }
  service = await startService({
    endpoints: [endpoint, { name: 'silent', hostname: 'silent.example', evidence: silent }],
    models: (url) => [demoModel(url, { endpoint })],
    publicBaseUrl: 'https://router.localhost/v1',
    trustedProxies: ['127.0.0.1'],
  })
  account = await service.createAccount(5_000_000n)
  await vi.waitFor(async () => expect((await read('/evidence')).status).toBe(200), 5_000)
})

afterAll(async () => {
  await service.stop()
  await gateway.close()
})

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}${path}`, { headers })

/** The platform's own copy, over TLS. */
async function platformCopy(): Promise<Buffer> {
  const { url, hostname } = gateway.endpoint.evidence
  const ca = readFileSync(gateway.gateway.rootPemFile)
  return await new Promise((resolve, reject) => {
    get(url, { servername: hostname, ca, agent: false }, (response) =>
      buffer(response).then(resolve, reject),
    ).on('error', reject)
  })
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('the relayed bundle is the platform’s copy, byte for byte, by path, name and hostname', async () => {
  await gateway.control('/hold')
  const expected = sha256(await platformCopy())
  for (const path of ['/evidence', '/evidence/demo', '/evidence/router.localhost']) {
    await vi.waitFor(async () => {
      const bytes = new Uint8Array(await (await read(path)).arrayBuffer())
      expect(sha256(bytes)).toBe(expected)
    }, 5_000)
  }
  await gateway.control('/release')
})

test('it needs no key, no cache may keep it, any page may read it, and hashing is offered', async () => {
  const response = await read('/evidence', { origin: 'https://anybody.example' })
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^req-/)
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.headers.get('etag')).toBe(`"${sha256(bytes)}"`)
  expect(isEvidenceBundle(JSON.parse(Buffer.from(bytes).toString()))).toBe(true)
})

test('an unknown endpoint is a 404 and one without evidence a 503, neither ever an empty 200', async () => {
  const absent = await read('/evidence/absent')
  expect(absent.status).toBe(404)
  const refusal = await absent.json()
  expect(isEvidenceNotFoundBody(refusal)).toBe(true)
  expect(refusal).toMatchObject({ statusCode: 404, message: expect.any(String) })
  const odd = await read('/evidence/a%0Ab')
  expect([odd.status, odd.headers.get('cache-control')]).toEqual([404, 'no-store'])
  expect(await odd.json()).toMatchObject({ statusCode: 404 })
  const silent = await read('/evidence/silent')
  expect(silent.status).toBe(503)
  expect(await silent.json()).toMatchObject({ statusCode: 503, reason: 'evidence_not_fetched' })
  expect(silent.headers.get('cache-control')).toBe('no-store')
})

test('the model list names the hardware that the evidence names, and an answer the digest in force', async () => {
  const state = await gateway.control('/state')
  const list = (await (await read('/models', { authorization: `Bearer ${account.apiKey}` })).json()) as {
    data: { endpoint: { tee: string | null } }[]
  }
  expect(list.data[0]?.endpoint.tee).toBe('Intel TDX (QEMU)')
  const answer = (await (await chat(service, account.apiKey, {})).json()) as {
    id: string
    usage: { evidence_digest: string }
  }
  expect(answer.usage.evidence_digest).toBe(state.digest)
  const [row] = await service.sql`select evidence_digest from generations where id = ${answer.id}`
  expect(row).toEqual({ evidence_digest: state.digest })
})

test('a new deployment is relayed and named once it is published; older and broken copies change nothing', async () => {
  const before = await gateway.control('/state')
  const after = await gateway.control('/rotate/deployment')
  expect(after.digest).not.toBe(before.digest)
  await vi.waitFor(async () => {
    const answer = (await (await chat(service, account.apiKey, {})).json()) as {
      usage: { evidence_digest: string }
    }
    expect(answer.usage.evidence_digest).toBe(after.digest)
  }, 5_000)
  expect(await service.sql`select count(*) from publications`).toEqual([{ count: 1n }])
})

test('evidence has a budget of its own for each source address', async () => {
  const from = (source: string) => read('/evidence', { 'x-forwarded-for': source })
  const beganMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 250 }, () => from('198.51.100.9')))
  const refused = answers.filter(({ status }) => status === 429)
  // Two come back each second, however long the machine takes for all of them.
  const cameBack = Math.ceil((performance.now() - beganMs) / 500)
  expect(refused.length).toBeGreaterThanOrEqual(250 - 120 - cameBack)
  const [refusal] = refused
  expect(refusal!.headers.get('cache-control')).toBe('no-store')
  expect(Number(refusal!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refusal!.headers.get('x-ratelimit-limit')).toBe('120')
  expect(await refusal!.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  expect((await from('198.51.100.10')).status).toBe(200)
  expect((await chat(service, account.apiKey, {})).status).toBe(200)
})
