import { expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import type { Exchange } from './http/exchange.ts'
import { brokenInPlace } from './turned-away.ts'

const SHOWN: readonly RuleId[] = ['CHAT-01', 'EP-03', 'EP-04', 'KEY-08', 'KEY-12', 'SRV-06', 'EVID-01']

/** What of these breaks where a success was awaited and a request was refused. */
function brokenBy(method: string, path: string, status: number, code = 'x', key = 'Bearer k') {
  const headers = key === '' ? {} : { Authorization: key }
  const sent = { method, url: `http://127.0.0.1:1/gateway/v1${path}?id=1`, headers }
  const body = Buffer.from(JSON.stringify({ error: { code } }))
  return brokenInPlace({ sent, status, body } as unknown as Exchange, SHOWN)
}

test.each([
  ['a key that works is refused: rules of keys', 'POST', '/chat/completions', 401, ['KEY-12']],
  ['a model is refused to a key that may use it: rules of scopes', 'POST', '/completions', 403, ['KEY-08']],
  ['a path is not there: rules that name it', 'POST', '/chat/completions', 404, ['EP-03', 'SRV-06']],
  ['the list of models is not there', 'GET', '/models', 404, ['EP-04', 'SRV-06']],
  ['a record is not there: that may be what is shown', 'GET', '/generation', 404, SHOWN],
  ['what is wrong lies with the request', 'POST', '/chat/completions', 400, SHOWN],
  ['evidence, which everybody may read, asks for a key', 'GET', '/evidence', 401, ['EVID-01']],
])('a caller who is turned away as a whole is told nothing else: %s', (_, method, path, status, broken) => {
  expect(brokenBy(method, path, status)).toEqual(broken)
})

test('a 404 of the model that was named may be what is shown', () => {
  expect(brokenBy('POST', '/chat/completions', 404, 'model_not_found')).toEqual(SHOWN)
})

test('a 404 of the path of evidence is told in the form of other paths', () => {
  expect(brokenBy('GET', '/evidence', 404, 'not_found')).toEqual(['SRV-06', 'EVID-01'])
  expect(brokenBy('GET', '/evidence/somewhere', 404)).toEqual(SHOWN)
})

test('a rule that names the status is about it', () => {
  const sent = {
    method: 'POST',
    url: 'http://127.0.0.1:1/v1/chat/completions',
    headers: { authorization: 'Bearer k' },
  }
  const answered = { sent, status: 401, body: Buffer.from('{}') } as unknown as Exchange
  expect(brokenInPlace(answered, ['RLAY-04', 'RLAY-05'])).toEqual(['RLAY-04'])
})

test('who sends no key is no caller with a key that works', () => {
  expect(brokenBy('GET', '/models', 401, 'invalid_api_key', '')).toEqual(SHOWN)
})
