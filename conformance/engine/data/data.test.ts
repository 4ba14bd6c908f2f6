import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ConfigError } from '../../../config/load.ts'
import { bareTarget, benchFor, type Product, serve } from '../../testing/product.ts'
import { runSuite } from '../suite.ts'
import { loadScenarioFile } from './file.ts'
import { match } from './match.ts'

const folder = mkdtempSync(join(tmpdir(), 'scenario-'))
let product: Product | undefined

afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => product?.stop())

function load(text: string) {
  const file = join(folder, 'one.yaml')
  writeFileSync(file, text)
  return loadScenarioFile(file, 'a/one')
}

const head = 'title: Something holds\nrules: [MODL-05]\n'

test('a scenario that is data needs what its steps show', () => {
  const { needs } = load(`${head}
backend: { chunks: 1 }
steps:
  - { operation: createChatCompletion, body: { model: '{{model.other}}' }, expect: { sent: { a: 1 }, debitMicros: 1 } }
  - { operation: listModels, key: revoked, expect: { error: api_key_revoked } }
`)
  expect([...needs].toSorted()).toEqual([
    'backendScript',
    'generation',
    'key:revoked',
    'ledger',
    'model:other',
  ])
})

test('every mistake of a scenario file is told at once', () => {
  const text = `${head}
steps:
  - { operation: listModels, expect: { error: api_key_lost } }
  - { operation: dance, expect: {}, colour: red }
  - { expect: {} }
`
  expect(() => load(text)).toThrow(ConfigError)
  for (const path of ['steps[1].colour', 'steps[0].expect.error', 'steps[1].operation', 'steps[2].path']) {
    expect(() => load(text)).toThrow(path)
  }
})

test('a step asserts status, headers and members, and says which step it was', async () => {
  product = await serve((request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-request-id': '1',
      'x-key': request.headers.authorization ?? '',
    })
    response.end('{"object":"list","data":[1,2]}')
  })
  const scenario = load(`${head}
steps:
  - operation: listModels
    expect: { headers: { x-key: 'Bearer {{key}}' }, body: { object: list, data: { $length: 2 } } }
  - { name: the second, operation: listModels, expect: { body: { object: other } } }
`)
  const bench = benchFor(bareTarget(product.baseUrl), { isJudging: false })
  const [outcome] = await runSuite({
    ...bench,
    scenarios: [scenario],
    profiles: ['router'],
    jobs: 1,
    isSlow: false,
  })
  expect(outcome).toMatchObject({
    verdict: 'fail',
    problems: [expect.stringMatching(/^the second: the body.object is "list", not "other"/)],
  })
})

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
