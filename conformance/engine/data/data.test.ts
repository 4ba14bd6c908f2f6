import { afterEach, expect, test } from 'vitest'
import { bareTarget, benchFor, type Product, serve } from '../../testing/product.ts'
import { define } from '../scenario.ts'
import { runSuite } from '../suite.ts'
import type { Target } from '../target.ts'
import type { DataDefinition } from './definition.ts'
import { match } from './match.ts'
import { programOf } from './program.ts'

let product: Product | undefined

afterEach(() => product?.stop())

function scenario(written: Omit<DataDefinition, 'title' | 'rules'>) {
  return define('a/one', programOf({ title: 'Something holds', rules: ['MODL-05'], ...written }))
}

/** What it finds at a product that answers with its key, and with the method it was asked by. */
async function problemsOf(
  written: Omit<DataDefinition, 'title' | 'rules'>,
  target: Partial<Target> = {},
): Promise<readonly string[]> {
  product = await serve((request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-request-id': '1',
      'x-key': request.headers.authorization ?? '',
    })
    response.end(`{"object":"list","method":"${request.method}","data":[1,2]}`)
  })
  const [outcome] = await runSuite({
    ...benchFor(bareTarget(product.baseUrl, target), { isJudging: false }),
    scenarios: [scenario(written)],
    profiles: ['router'],
    jobs: 1,
    isSlow: false,
  })
  return outcome?.problems ?? []
}

test('a scenario that is data needs what its steps show', () => {
  const { needs } = scenario({
    backend: { chunks: 1 },
    steps: [
      {
        operation: 'createChatCompletion',
        body: { model: '{{model.other}}' },
        expect: { sent: { a: 1 }, debitMicros: 1 },
      },
      { operation: 'listModels', key: 'revoked', expect: { error: 'api_key_revoked' } },
    ],
  })
  expect(needs.toSorted()).toEqual(['backendScript', 'debits', 'generation', 'key:revoked', 'model:other'])
})

test('a step that tells how the backend answers needs its script', () => {
  const { needs } = scenario({ steps: [{ operation: 'listModels', key: 'none', backend: { status: 503 } }] })
  expect(needs).toEqual(['backendScript'])
})

test.each<[string, DataDefinition['steps'], RegExp]>([
  ['no step', [], /it has no steps/],
  [
    'a step that asks for nothing',
    [{ operation: 'listModels' }, {}],
    /step 2 has neither operation nor path/,
  ],
])('a scenario with %s is refused', (_, steps, problem) => {
  expect(() => scenario({ steps })).toThrow(problem)
})

test('a step asserts status, headers and members, and says which step it was', async () => {
  const problems = await problemsOf({
    steps: [
      {
        operation: 'listModels',
        expect: {
          headers: { 'x-key': 'Bearer {{key}}' },
          body: { object: 'list', data: { $length: 2 } },
        },
      },
      { name: 'the second', operation: 'listModels', expect: { body: { object: 'other' } } },
    ],
  })
  expect(problems).toEqual([expect.stringMatching(/^the second: the body.object is "list", not "other"/)])
})

test('operation and expectation of the whole hold for each step, which may tell more or its own path', async () => {
  const written = { operation: 'listModels', expect: { headers: { 'x-request-id': '1' } } } as const
  const path = { name: 'a path', method: 'POST', path: '/else', expect: { body: { method: 'POST' } } }
  expect(
    await problemsOf({ ...written, steps: [{}, { expect: { body: { method: 'GET' } } }, path] }),
  ).toEqual([])
  product?.stop()
  const [problem] = await problemsOf({
    ...written,
    expect: { headers: { 'x-request-id': '2' } },
    steps: [{ name: 'alone', expect: { body: { object: 'list' } } }],
  })
  expect(problem).toMatch(/^alone: x-request-id/)
})

test.each([
  ['the model that does chats', 'a/model', []],
  ['another model', 'a/writer', [expect.stringMatching(/^expected 403, got 200/)]],
])(
  'a key that is held to the model of chats is to be refused where %s writes texts',
  async (_, completions, problems) => {
    const models = { chat: 'a/model', completions }
    const keys = { active: 'sk-tee-v1-active', scoped: 'sk-tee-v1-scoped' }
    const error = 'model_not_in_key_scope'
    const steps = [{ operation: 'createCompletion', key: 'scoped', expect: { error } }] as const
    expect(await problemsOf({ steps }, { models, keys })).toEqual(problems)
  },
)

const actual = { text: 'gen-1', count: 3, list: [1, 2], nothing: null, deep: { a: 1, b: 2 } }

test.each([
  [{ text: 'gen-1' }],
  [{ deep: { a: 1 } }],
  [{ text: { $matches: '^gen-' } }],
  [{ count: { $type: 'integer' } }],
  [{ count: { $atLeast: 3 } }],
  [{ count: { $oneOf: [1, 3] } }],
  [{ list: { $length: 2 } }],
  [{ list: [1, 2] }],
  [{ list: { $items: [{ $atLeast: 1 }, 2] } }],
  [{ nothing: null }],
  [{ absent: { $absent: true } }],
])('%j matches', (wanted) => {
  expect(() => match(actual, wanted, 'it')).not.toThrow()
})

test.each([
  [{ text: 'gen-2' }],
  [{ deep: { c: 1 } }],
  [{ text: { $matches: '^run-' } }],
  [{ count: { $type: 'string' } }],
  [{ count: { $atLeast: 4 } }],
  [{ count: { $oneOf: [1, 2] } }],
  [{ list: { $length: 3 } }],
  [{ list: [1] }],
  [{ list: { $items: [1] } }],
  [{ list: { $items: [2, 1] } }],
  [{ text: { $items: [] } }],
  [{ nothing: { $absent: true } }],
  [{ absent: null }],
  [{ text: { a: 1 } }],
])('%j does not match', (wanted) => {
  expect(() => match(actual, wanted, 'it')).toThrow()
})
