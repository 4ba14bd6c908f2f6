import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ErrorCode, errors } from '#contract/errors'
import { limits } from '#contract/limits'
import { reasons, stages } from '#contract/reasons'
import { routes } from '#contract/routes'

interface Response {
  readonly $ref?: string
  readonly headers: Readonly<Record<string, { readonly required: boolean }>>
  readonly content: Readonly<
    Record<string, { readonly schema: { readonly $ref?: string; readonly anyOf?: { $ref: string }[] } }>
  >
}
interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>
  }
}

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', 'generated', name), 'utf8')
const openapi = parse(read('openapi.yaml')) as Document
const { rules } = JSON.parse(read('rules.json')) as { readonly rules: readonly { readonly text: string }[] }
const answers = Object.values(openapi.paths)
  .flatMap((item) => Object.values(item).filter((operation) => 'operationId' in operation))
  .flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => ({
      operationId,
      status,
      response: resolved(response),
    })),
  )
/** Operations that a bucket may refuse: by the key, or by the client's address. */
const limitedOperations = [
  'createChatCompletion',
  'createCompletion',
  'createEmbedding',
  'getEvidence',
  'getEndpointEvidence',
  'getInvitation',
]
const refusals = answers.filter(({ status }) => Number(status) >= 400)

const given: readonly (readonly [number, string, readonly ErrorCode[]])[] = [
  [
    400,
    'invalid_request_error',
    ['invalid_json', 'missing_field', 'unsupported_parameter', 'context_length_exceeded'],
  ],
  [401, 'authentication_error', ['invalid_api_key', 'api_key_revoked', 'api_key_expired']],
  [402, 'insufficient_credits', ['insufficient_credits', 'key_spend_limit_reached']],
  [403, 'permission_error', ['model_not_in_key_scope']],
  [404, 'invalid_request_error', ['model_not_found', 'not_found']],
  [429, 'rate_limit_error', ['rate_limit_exceeded']],
  [500, 'server_error', ['internal']],
  [502, 'upstream_error', ['backend_unavailable', 'backend_error']],
  [503, 'proxy_error', ['attestation_failed', 'attestation_revoked']],
]

test.each(given)(
  'the codes of status %i, type %s, are those of the table of errors',
  (status, type, codes) => {
    const found = Object.entries(errors).filter(([, row]) => row.status === status && row.origin === 'given')
    expect(found.map(([code]) => code).sort()).toEqual([...codes].sort())
    for (const [, row] of found) expect(row.type).toBe(type)
  },
)

test('every error code is in the words of a rule: write one in spec/rules', () => {
  const isNamed = (code: string) => rules.some(({ text }) => text.includes(`\`${code}\``))
  expect(Object.keys(errors).filter((code) => !isNamed(code))).toEqual([])
})

test('the path of every route is in the words of a rule: write one in spec/rules', () => {
  const words = new Set(rules.flatMap(({ text }) => text.split(/[^\w/{}.-]+|[.]*(?=\s|$)/)))
  const paths = Object.values(routes).map(({ path }) => path)
  expect(paths.filter((path) => !words.has(path))).toEqual([])
})

test('a full bucket tells when it admits again', () => {
  expect(errors.rate_limit_exceeded.headers).toEqual([
    'Retry-After',
    'retry-after-ms',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ])
})

test.each(refusals)('$operationId answers $status with an error body', ({ response }) => {
  const { schema } = response.content['application/json']!
  const names = (schema.anyOf ?? [schema]).map(({ $ref = '' }) => $ref.split('/').at(-1)!)
  for (const name of names) {
    const members = openapi.components.schemas[name]!.required!
    expect(members.includes('error') || members.includes('statusCode')).toBe(true)
  }
})

test.each(answers.filter(({ operationId }) => operationId !== 'getPlatformEvidence'))(
  '$operationId names the request in its $status',
  ({ response }) => {
    expect(response.headers['X-Request-Id']?.required).toBe(true)
  },
)

test('a refused bucket sends its headers on every route', () => {
  const limited = answers.filter(({ status }) => status === '429')
  expect(limited.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(limitedOperations))
  for (const { response } of limited) {
    for (const name of errors.rate_limit_exceeded.headers) expect(response.headers[name]?.required).toBe(true)
  }
})

test('evidence is kept by no cache', () => {
  const evidence = answers.filter(
    ({ operationId, status }) => /Evidence$/.test(operationId) && !/403|502/.test(status),
  )
  expect(new Set(evidence.map(({ operationId }) => operationId)).size).toBeGreaterThanOrEqual(3)
  for (const { response } of evidence) expect(response.headers['Cache-Control']?.required).toBe(true)
})

test('every route of the table of endpoints is there, and those that are metered', () => {
  const table = Object.values(routes).map(
    ({ method, path, key }) => `${method} ${path} ${key ? 'key' : 'none'}`,
  )
  // A route that was chosen later may stand beside them.
  expect(table).toEqual(
    expect.arrayContaining([
      'get /.well-known/platform-evidence none',
      'get /evidence none',
      'get /evidence/{endpoint} none',
      'get /generation key',
      'get /invites/{code} none',
      'get /models key',
      'get /models/{id} key',
      'post /chat/completions key',
      'post /completions key',
      'post /embeddings key',
    ]),
  )
  for (const { path, metered } of Object.values(routes))
    expect(metered).toBe(/^\/(chat\/)?(completions|embeddings)$/.test(path))
})

test('reasons stand under the stages of the verification, each with a meaning, a remedy and a place on the page', () => {
  expect(stages).toEqual(Object.keys(reasons))
  for (const entry of Object.values(reasons).flatMap((stage) => Object.values(stage))) {
    expect(entry).toEqual({
      meaning: expect.stringMatching(/\.$/),
      remedy: expect.stringMatching(/\.$/),
      anchor: expect.stringMatching(/^[a-z_-]+$/),
    })
  }
})

test('the production defaults are those of the table of limits', () => {
  expect(limits).toMatchObject({ requestsPerMinute: 600, tokensPerMinute: 2_000_000, pingIntervalMs: 15_000 })
})

function resolved(response: Response): Response {
  return response.$ref ? openapi.components.responses[response.$ref.split('/').at(-1)!]! : response
}
