import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ErrorCode, errors } from '#contract/errors'
import { limits } from '#contract/limits'
import { isErrorBody } from '#contract/validators/error-body'
import type { KeySettings } from '../server/store/keys.ts'
import { demoModel, type Service, startService } from './service.ts'

const MAX_BODY_BYTES = 10_000

let service: Service
let apiKey: string

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url, { capabilities: ['chat', 'completions'] }),
      demoModel(url, { id: 'other' }),
    ],
    limits: { maxBodyBytes: MAX_BODY_BYTES },
  })
  ;({ apiKey } = await service.createAccount(5_000_000n))
})

afterAll(() => service.stop())

const model = 'demo/tiny-chat'
const say = (content: string) => ({ model, messages: [{ role: 'user', content }] })

const send = (body: string, key = apiKey, path = '/chat/completions') =>
  fetch(`${service.baseUrl}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })

const get = (path: string, key = apiKey) =>
  fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })

/** Sends a request that nothing is wrong with but its key. */
async function sendWith(settings: KeySettings, balanceMicros = 5_000_000n): Promise<Response> {
  const account = await service.createAccount(balanceMicros, settings)
  return send(JSON.stringify(say('Hello')), account.apiKey)
}

type Case = readonly [provoke: () => Promise<Response>, param?: string]

/**
 * Codes with a request that provokes each and the field it names. That every code is provoked, those of the proxy too,
 * is what the conformance run's gate demands.
 */
const cases: Readonly<Partial<Record<ErrorCode, Case>>> = {
  invalid_json: [() => send('{')],
  missing_field: [() => send('{}'), 'model'],
  unsupported_parameter: [() => send(JSON.stringify({ ...say('Hello'), n: 2 })), 'n'],
  context_length_exceeded: [
    async () => {
      const account = await service.createAccount(5_000_000n)
      await service.backend.play({
        rules: [{ status: 400, error: { error: { message: 'x', code: 'context_length_exceeded' } } }],
      })
      const response = await send(JSON.stringify({ model, prompt: 'x' }), account.apiKey, '/completions')
      await service.backend.play({})
      return response
    },
    'prompt',
  ],
  invalid_api_key: [() => get('/models', 'sk-tee-v1-wrong')],
  api_key_revoked: [
    async () => {
      const account = await service.createAccount(5_000_000n)
      await service.sql`update api_keys set revoked_at = now() where id = ${account.keyId}`
      return get('/models', account.apiKey)
    },
  ],
  api_key_expired: [() => sendWith({ expiresAt: new Date('2020-01-01') })],
  insufficient_credits: [() => sendWith({}, 0n)],
  key_spend_limit_reached: [() => sendWith({ spendLimitMicros: 0n })],
  model_not_in_key_scope: [() => sendWith({ modelScope: ['other'] }), 'model'],
  model_not_found: [() => get('/models/absent'), 'id'],
  not_found: [() => get('/generation?id=gen-01ARZ3NDEKTSV4RRFFQ69G5FAV'), 'id'],
  request_too_large: [() => send(JSON.stringify(say('x'.repeat(MAX_BODY_BYTES))))],
  unsupported_media_type: [
    () =>
      fetch(`${service.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify(say('Hello'))),
      }),
  ],
  headers_too_large: [() => get(`/models/${'x'.repeat(limits.maxHeaderBytes)}`)],
  rate_limit_exceeded: [
    async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => get('/invites/2222-2222-2222')))
      return answers.find(({ status }) => status === 429)!
    },
  ],
  backend_unavailable: [() => send(JSON.stringify(say('[script:busy]')))],
  backend_error: [() => send(JSON.stringify(say('[script:html]')))],
  internal: [
    async () => {
      await service.sql`alter view generation_records rename to away`
      const response = await get('/generation?id=gen-01ARZ3NDEKTSV4RRFFQ69G5FAV')
      await service.sql`alter view away rename to generation_records`
      return response
    },
  ],
}

const provoked = Object.entries(cases).map(([code, [provoke, param]]) => ({
  code: code as ErrorCode,
  provoke,
  param,
}))

test.each(provoked)(
  '$code has the status, type and headers of the contract',
  async ({ code, provoke, param }) => {
    const response = await provoke()
    const { status, type, headers } = errors[code]
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('x-request-id')).toMatch(/^req-/)
    for (const name of headers) expect(response.headers.get(name), name).not.toBeNull()
    const body = (await response.json()) as { error: Record<string, unknown> }
    expect(isErrorBody(body)).toBe(true)
    expect(body.error).toMatchObject({ type, code })
    expect(body.error.message).toEqual(expect.any(String))
    expect(body.error.param).toBe(param)
  },
)
