// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isRouterConfig } from '#contract/validators/router-config'
import { ConfigError } from './error.ts'
import { loadConfig, type Validator } from './load.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

const anything: Validator = () => true

function load(text: string, environment = {}, validate = anything): unknown {
  const file = join(folder, 'file.yaml')
  writeFileSync(file, text)
  return loadConfig(file, validate, environment)
}

function problemsOf(text: string, environment = {}, validate = anything): readonly string[] {
  try {
    load(text, environment, validate)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  throw new Error('No mistake was found.')
}

test('variables are replaced, with defaults, and a plain scalar keeps its type', () => {
  const text =
    'port: ${PORT}\nhost: ${HOST:-127.0.0.1}\nquoted: "${PORT}"\nurl: "http://${HOST:-h}:${PORT}/v1"\nnone: "${NONE:-}"'
  expect(load(text, { PORT: '80' })).toEqual({
    port: 80,
    host: '127.0.0.1',
    quoted: '80',
    url: 'http://h:80/v1',
    none: '',
  })
})

test.each([
  ...[
    '*a',
    '&a b',
    '[a',
    '{a',
    '@a',
    '%a',
    '!a b',
    "'a",
    '"a',
    '`a',
    '| a',
    '> a',
    '#a',
    '- a',
    '---',
    '...',
  ],
  ...['a: b: c', 'a: b', 'a\nb: c', '? a', 'null', '~', '0x', '1.2.3', '.'],
])('a variable that holds %j stands as the text that it is, and nothing is said of it', (text) => {
  const warn = vi.spyOn(process, 'emitWarning')
  expect(load('key: ${SECRET}', { SECRET: text })).toEqual({ key: text })
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test.each([
  ['-1', -1],
  ['1e3', 1_000],
  ['0x1f', 31],
  ['.5', 0.5],
  ['true', true],
])('a variable that holds %s is %j', (text, value) => {
  expect(load('key: ${VALUE}', { VALUE: text })).toEqual({ key: value })
})

test('a file’s content stands for ${file:…}, relative to the configuration', () => {
  writeFileSync(join(folder, 'secret'), 'hush\n')
  expect(load('key: ${file:secret}')).toEqual({ key: 'hush' })
})

test('every missing variable and file is told at once, with its setting and its line', () => {
  expect(problemsOf('a: ${ONE}\nb: { c: [ 1, { d: "x-${TWO}" } ] }\ne: ${file:absent}')).toEqual([
    'a: the environment variable ONE is not set (line 1)',
    'b.c[1].d: the environment variable TWO is not set (line 2)',
    expect.stringMatching(/^e: a file cannot be read: ENOENT.* \(line 3\)$/),
  ])
})

test('an empty list is told in words', () => {
  const error = {
    instancePath: '/pins',
    keyword: 'minItems',
    params: { limit: 1 },
    message: 'of the library',
  }
  const validate: Validator = Object.assign(() => false, { errors: [error] })
  expect(problemsOf('pins: []', {}, validate)).toEqual(['pins: must not be empty'])
})

test('what is no YAML, and a key that stands twice, is told with its line', () => {
  expect(problemsOf('a: 1\na: 2')).toEqual([expect.stringMatching(/^line 2: .*unique/)])
  expect(problemsOf('a: [')[0]).toMatch(/^line 1/)
})

test('a file that cannot be read is a mistake of configuration', () => {
  expect(() => loadConfig(join(folder, 'absent.yaml'), anything, {})).toThrow(ConfigError)
})

test('every mistake against the schema is told at once, at its path', () => {
  const text = `
listen: { port: 70000 }
colour: red
endpoints: [ { name: demo } ]
models: [ { id: a, contextLength: many, pricing: { promptPer1mMicros: 1 }, endpoint: demo, backends: [] } ]`
  const problems = problemsOf(text, {}, isRouterConfig as Validator)
  for (const path of [
    'listen.port',
    'colour: is not a known key',
    'endpoints[0].hostname: is missing',
    'models[0].contextLength',
    'models[0].pricing.completionPer1mMicros: is missing',
    'models[0].backends',
  ]) {
    expect(problems).toContainEqual(expect.stringContaining(path))
  }
})
