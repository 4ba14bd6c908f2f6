import { expect, test } from 'vitest'
import { withoutSecrets } from './secrets.ts'

const KEY = 'sk-Back_end+secret/0123456789'
const backend = {
  url: 'http://vllm-7.models.internal:8000/v1',
  tokenizeUrl: 'http://10.0.0.7:9000/tokenize',
  apiKey: KEY,
}

/** What may stand in no message: letters and digits of the address and of the key. */
const TRACES = ['vllm-7', 'models.internal', '8000', '10.0.0.7', '9000', 'Back_end', 'secret', '0123456789']

test.each([
  ['the key', `key ${KEY} refused`],
  ['a bearer header', `{"authorization":"Bearer ${KEY}"}`],
  ['the key in JSON within JSON', `{\\"key\\":\\"${KEY.replace('/', '\\/')}\\"}`],
  ['the key percent-encoded', `key=${encodeURIComponent(KEY)}`],
  ['the key percent-encoded twice', `key=${encodeURIComponent(encodeURIComponent(KEY))}`],
  ['the key in the middle of a word', `x${KEY}x`],
  ['the beginning of the key', `refused sk-Back_end+secret/01234...`],
  ['the key without its beginning', `refused end+secret/0123456789.`],
  ['the key shortened with stars', 'Incorrect API key provided: sk-Back_*********6789.'],
  ['the URL', 'POST http://vllm-7.models.internal:8000/v1/chat/completions failed'],
  ['the URL in capitals', 'POST HTTP://VLLM-7.MODELS.INTERNAL:8000/V1 failed'],
  ['the URL encoded', 'see /login?next=http%3A%2F%2Fvllm-7.models.internal%3A8000%2Fv1'],
  ['the URL half encoded', 'see ?next=http://vllm-7.models.internal%3a8000/v1'],
  ['the host', 'vllm-7.models.internal:8000 said no'],
  ['the host after an escape', 'said\\nvllm-7.models.internal:8000'],
  ['the host without its port', "Host 'vllm-7.models.internal' said no"],
  ['the host without its end', 'pod vllm-7.models said no'],
  ['the tokenizer’s address', 'asked http://10.0.0.7:9000/tokenize (10.0.0.7) in vain'],
])('%s is taken out of a message', (_, message) => {
  const shown = withoutSecrets(message, backend)
  expect(shown).toContain('[backend]')
  for (const trace of TRACES) expect(shown.toLowerCase()).not.toContain(trace.toLowerCase())
})

test.each([
  'top_k must be positive',
  'This model supports at most 8000 tokens; 10.0.0.70 is a number of sorts.',
  'Unexpected token ... in JSON at position 10',
  'use model.internal instead of models',
])('what resembles neither address nor key stays: %s', (message) => {
  expect(withoutSecrets(message, backend)).toBe(message)
})

test('a short host or key is taken out where it stands alone, and out of no word', () => {
  const short = { url: 'http://a/v1', apiKey: 'key' }
  expect(withoutSecrets('a key at a, keyless and apart', short)).toBe(
    '[backend] [backend] at [backend], keyless and apart',
  )
})

test.each([
  ['beginnings of the key', `${KEY.slice(0, 7)}%2`],
  ['one word', 'x'],
  ['stars', '*'],
  ['percent signs', '%25'],
])('a long message of %s is read in a time that grows with it', (_, piece) => {
  const began = performance.now()
  withoutSecrets(piece.repeat(65_536 / piece.length), backend)
  expect(performance.now() - began).toBeLessThan(2_000)
})

test('an upstream that is called by another name than its address has is told by neither', () => {
  const backend = { url: 'https://10.1.2.3:8443/v1', hostname: 'vendor.example' }
  const shown = withoutSecrets('Not at vendor.example:8443, nor vendor.example, nor 10.1.2.3.', backend)
  expect(shown).toBe('Not at [backend], nor [backend], nor [backend].')
})
