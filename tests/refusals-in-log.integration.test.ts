import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type LogFields, silent } from '../server/log.ts'
import type { KeySettings } from '../server/store/keys.ts'
import { type Account, demoModel, type Service, startService } from './service.ts'

const MAX_BODY_BYTES = 200_000

let service: Service
const lines: { readonly message: string; readonly fields: LogFields | undefined }[] = []

beforeAll(async () => {
  const keep = (message: string, fields?: LogFields) => void lines.push({ message, fields })
  service = await startService({
    models: (url) => [demoModel(url), demoModel(url, { id: 'other' })],
    limits: { maxBodyBytes: MAX_BODY_BYTES },
    log: { ...silent, info: keep, warn: keep, error: keep },
  })
})

beforeEach(() => void lines.splice(0))

afterAll(() => service.stop())

const PROMPT = 'A prompt that no log may hold'
const model = 'demo/tiny-chat'
const body = JSON.stringify({ model, messages: [{ role: 'user', content: PROMPT }] })
const large = body.replace(PROMPT, PROMPT.repeat(3_000))

type Send = (account: Account) => Promise<Response>

const post =
  (text: string | Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Send =>
  ({ apiKey }) =>
    fetch(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      body: text,
    })

const get =
  (path: string): Send =>
  ({ apiKey }) =>
    fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })

/** Uses up a key's only request of the minute before the one that counts. */
const again =
  (send: Send): Send =>
  async (account) => {
    await (await send(account)).text()
    return send(account)
  }

interface Case {
  readonly settings?: KeySettings
  readonly balanceMicros?: bigint
}

const cases: readonly (readonly [title: string, status: number, send: Send, account: Case])[] = [
  ['that cannot be parsed', 400, post('{'), {}],
  ['that names no model', 400, post('{}'), {}],
  ['for a model that is not there', 404, post(body.replace(model, 'absent')), {}],
  ['out of the scope of its key', 403, post(body), { settings: { modelScope: ['other'] } }],
  ['with a value that is not taken', 400, post(body.replace('{', '{"n":2,')), {}],
  ['without credit', 402, post(body), { balanceMicros: 0n }],
  ['of a key that has spent its limit', 402, post(body), { settings: { spendLimitMicros: 0n } }],
  ['over the rate of its key', 429, again(post(body)), { settings: { requestsPerMinute: 1 } }],
  ['of an expired key', 401, post(body), { settings: { expiresAt: new Date('2020-01-01') } }],
  ['with a large body and without credit', 402, post(large), { balanceMicros: 0n }],
  ['with a large body and over its rate', 429, again(post(large)), { settings: { requestsPerMinute: 1 } }],
  ['that is too large', 413, post(body.replace(PROMPT, 'x'.repeat(MAX_BODY_BYTES))), {}],
  ['that is compressed', 415, post(gzipSync(body), { 'content-encoding': 'gzip' }), {}],
  ['that its backend refuses', 400, post(body.replace(PROMPT, '[script:refused]')), {}],
  ['for a record that is not there', 404, get('/generation?id=gen-01ARZ3NDEKTSV4RRFFQ69G5FAV'), {}],
  [
    'for the models, with an expired key',
    401,
    get('/models'),
    { settings: { expiresAt: new Date('2020-01-01') } },
  ],
]

test.each(cases)(
  'the log says whose a refused request was: one %s (%i)',
  async (_, status, send, { settings = {}, balanceMicros = 5_000_000n }) => {
    await service.backend.play({
      rules: [{ name: 'refused', status: 400, error: { error: { message: PROMPT } } }, {}],
    })
    const account = await service.createAccount(balanceMicros, settings)
    const response = await send(account)
    const text = await response.text()
    expect(response.status, text).toBe(status)
    const requestId = response.headers.get('x-request-id')
    await vi.waitFor(() => expect(lines.some(({ fields }) => fields?.requestId === requestId)).toBe(true))
    const line = lines.find(({ fields }) => fields?.requestId === requestId)
    const { workspaceId, keyId, apiKey } = account
    expect(line).toMatchObject({ message: 'request finished', fields: { workspaceId, keyId, status } })
    expect(inspect(lines, { depth: null })).not.toContain(apiKey)
    expect(inspect(lines, { depth: null })).not.toContain(PROMPT)
  },
)

test('nothing is said of whose a request was whose key nobody has', async () => {
  const stranger = { workspaceId: 'ws_1', keyId: 'key_1', apiKey: `sk-tee-v1-${'A'.repeat(43)}` }
  const response = await post(body)(stranger)
  await response.text()
  expect(response.status).toBe(401)
  await vi.waitFor(() => expect(lines.length).toBe(1))
  expect(lines[0]!.fields?.status).toBe(401)
  expect(inspect(lines, { depth: null })).not.toMatch(/ws_|key_/)
})
