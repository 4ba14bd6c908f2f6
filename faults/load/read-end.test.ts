import { expect, test } from 'vitest'
import { type Came, readEnd } from './read-end.ts'

const chunk = 'data: {"choices":[]}\n\n'
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":8,"cost_micros":6}}\n\n'
const error = 'data: {"error":{"code":"backend_error"}}\n\n'
const done = 'data: [DONE]\n\n'
const came: Came = { status: 200, text: '', streamed: true, isEnded: true, hasLeft: false }

test.each([
  ['a stream with its end', { text: `: ping\n\n${chunk}${usage}${done}` }, 'whole'],
  ['a stream without its end', { text: chunk + usage }, 'cut'],
  ['a stream whose connection was lost', { text: chunk, isEnded: false }, 'cut'],
  ['a stream that tells of an error and ends properly', { text: chunk + error + done }, 'told'],
  ['a stream that its client left', { text: chunk, isEnded: false, hasLeft: true }, 'left'],
  ['an answer of JSON', { text: '{"choices":[]}', streamed: false }, 'whole'],
  ['half an answer of JSON', { text: '{"choices":[', streamed: false }, 'cut'],
  ['half an answer whose framing is incomplete', { text: '{}', streamed: false, isEnded: false }, 'cut'],
  ['a refusal', { status: 402, text: '{"error":{"code":"insufficient_credits"}}' }, 'told'],
  ['a refusal that is no JSON', { status: 502, text: '<html>' }, 'told'],
  ['no answer', { status: 0, isEnded: false }, 'cut'],
] as const)('%s is seen as that', (_, change, ending) => {
  expect(readEnd({ ...came, ...change })).toMatchObject({ ending })
})

test('usage, cost and code are read as they were told', () => {
  expect(readEnd({ ...came, text: chunk + usage + error + done })).toEqual({
    ending: 'told',
    code: 'backend_error',
    usage: { promptTokens: 3, completionTokens: 8, costMicros: 6 },
  })
})
