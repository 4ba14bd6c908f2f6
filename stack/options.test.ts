import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OptionError, parseOptions } from './options.ts'
import { HOME } from './places.ts'

test('without options the scripted backend answers, and the data lie in the clone', () => {
  expect(parseOptions([])).toEqual({
    exit: false,
    backend: undefined,
    dataDir: join(HOME, '.data'),
    json: false,
    help: false,
  })
})

test('a real backend is an address and a model', () => {
  const { backend } = parseOptions(['--backend', 'http://127.0.0.1:11434/v1/', '--model', 'llama3.2:3b'])
  expect(backend).toEqual({ url: 'http://127.0.0.1:11434/v1', model: 'llama3.2:3b' })
})

test.each([
  ['a backend without a model', ['--backend', 'http://127.0.0.1/v1'], '--backend needs --model'],
  ['a model without a backend', ['--model', 'x'], '--model needs --backend'],
  ['an address that is none', ['--backend', 'ollama', '--model', 'x'], '--backend must be a URL'],
  ['an address of another kind', ['--backend', 'ftp://a', '--model', 'x'], '--backend must be a URL'],
  ['an unknown option', ['--fast'], '--fast'],
  ['a stray word', ['fast'], 'fast'],
])('%s is refused', (_, args, message) => {
  expect(() => parseOptions(args)).toThrow(OptionError)
  expect(() => parseOptions(args)).toThrow(message)
})
