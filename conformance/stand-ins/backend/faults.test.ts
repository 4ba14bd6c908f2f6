import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Backend, createBackend } from './backend.ts'
import type { Fault } from './behaviour.ts'
import { begin, chat, eventsOf, post } from './exchange.ts'
import type { Rule } from './script.ts'

let backend: Backend

beforeAll(async () => {
  backend = await createBackend({ paceMs: 0 })
})
afterAll(() => backend.close())

async function streamOf(rule: Rule) {
  await backend.play({ rules: [{ chunks: ['a', 'b', 'c'], ...rule }] })
  return post(`${backend.url}/chat/completions`, chat('Hi', { stream: true }))
}

async function bodyOf(rule: Rule) {
  await backend.play({ rules: [rule] })
  return post(`${backend.url}/chat/completions`, chat('Hi'))
}

function textOf(text: string): string {
  const chunks = eventsOf(text) as { choices?: { delta: { content?: string } }[] }[]
  return chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
}

test.each([
  ['cut', { kind: 'cut', afterChunks: 2 }, 'ab', false],
  ['cut by RST', { kind: 'cut', afterChunks: 0, reset: true }, '', false],
  ['ended early', { kind: 'eof', afterChunks: 2 }, 'ab', true],
  ['ended just before [DONE]', { kind: 'eof', afterChunks: 99 }, 'abc', true],
] as const)('a stream that is %s has no [DONE]', async (_, fault: Fault, said, ended) => {
  const answer = await streamOf({ fault })
  expect(textOf(answer.text)).toBe(said)
  expect(answer.text).not.toContain('[DONE]')
  expect(answer.ended).toBe(ended)
})

test('a stream that is cut by half ends within an event', async () => {
  const { text, ended } = await streamOf({ fault: { kind: 'cut', afterChunks: 2, half: true } })
  expect(text).toMatch(/\n\ndata: \{"id":[^\n]*$/)
  expect(textOf(text.slice(0, text.lastIndexOf('\n\n') + 2))).toBe('ab')
  expect(ended).toBe(false)
})

test('interim answers come before the answer, and change nothing about it', async () => {
  const { text } = await streamOf({ interim: [100, 102, 103, 103] })
  expect(textOf(text)).toBe('abc')
})

test('an error within a stream is the last event before [DONE], or the last of all', async () => {
  const error = { error: { message: 'out of memory', code: 500 } }
  const usual = eventsOf((await streamOf({ error, fault: { kind: 'error', afterChunks: 1 } })).text)
  const bare = eventsOf(
    (await streamOf({ error, fault: { kind: 'error', afterChunks: 1, done: false } })).text,
  )
  expect(usual.slice(-2)).toEqual([error, '[DONE]'])
  expect(bare.at(-1)).toEqual(error)
})

test('a malformed event is followed by the rest of the stream', async () => {
  const { text } = await streamOf({ fault: { kind: 'malformed', afterChunks: 1, data: '{oops' } })
  const events = eventsOf(text)
  expect(events[2]).toBe('{oops')
  expect(events.at(-1)).toBe('[DONE]')
})

test('an oversize event has at least the bytes asked for', async () => {
  const { text } = await streamOf({ fault: { kind: 'oversize', afterChunks: 1, bytes: 2_000_000 } })
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeGreaterThan(2_000_000)
  expect(eventsOf(text).at(-1)).toBe('[DONE]')
})

test('a refusal destroys the socket before any answer', async () => {
  await expect(streamOf({ fault: { kind: 'refuse' } })).rejects.toThrow(/hang up|ECONNRESET/)
})

test.each([
  ['silent', { kind: 'silence' }],
  ['stalled', { kind: 'stall', afterChunks: 1 }],
] as const)('a %s backend stays so until the client leaves', async (_, fault: Fault) => {
  await backend.play({ rules: [{ fault }] })
  backend.clearRequests()
  const controller = new AbortController()
  const { signal } = controller
  const body = JSON.stringify(chat('Hi', { stream: true }))
  const asked = fetch(`${backend.url}/chat/completions`, { method: 'POST', body, signal })
    .then((response) => response.text())
    .catch((error: Error) => error.name)
  await expect.poll(() => backend.requests()[0]?.outcome).toBe('running')
  controller.abort()
  expect(await asked).toBe('AbortError')
  await expect.poll(() => backend.requests()[0]?.outcome).toBe('client-left')
})

test('a status from 400 on brings the error and the headers of the script', async () => {
  const error = { error: { message: 'busy' } }
  const answer = await bodyOf({ status: 429, error, headers: { 'Retry-After': '7' } })
  expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.text)]).toEqual([429, '7', error])
})

test('an error that stalls is sent whole, and does not end', async () => {
  const error = { error: { message: 'no' } }
  await backend.play({ rules: [{ status: 400, error, fault: { kind: 'stall', afterChunks: 0 } }] })
  const controller = new AbortController()
  const { signal } = controller
  const body = JSON.stringify(chat('Hi'))
  const response = await fetch(`${backend.url}/chat/completions`, { method: 'POST', body, signal })
  const reader = response.body!.getReader()
  expect(JSON.parse(Buffer.from((await reader.read()).value!).toString())).toEqual(error)
  const more = reader.read()
  expect(await Promise.race([more, sleep(100, 'nothing')])).toBe('nothing')
  controller.abort()
  await expect(more).rejects.toThrow('aborted')
})

test('any body may be sent in place of an answer', async () => {
  const html = { body: '<html></html>', headers: { 'content-type': 'text/html' } }
  const answer = await bodyOf(html)
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    200,
    'text/html',
    '<html></html>',
  ])
})

test.each([
  ['cut', { kind: 'cut', afterChunks: 0 }, false],
  ['ended early', { kind: 'eof', afterChunks: 0 }, true],
  ['malformed', { kind: 'malformed', afterChunks: 0 }, true],
] as const)('a JSON body that is %s is no JSON', async (_, fault: Fault, ended) => {
  const answer = await bodyOf({ fault })
  expect(answer.ended).toBe(ended)
  expect(answer.text.length).toBeGreaterThan(10)
  expect(() => JSON.parse(answer.text)).toThrow(SyntaxError)
})

test('a JSON body may be an error with the status 200', async () => {
  const answer = await bodyOf({ fault: { kind: 'error', afterChunks: 0 } })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toHaveProperty('error.message')
})

test('connections are refused until the next script', async () => {
  await backend.play({ refuseConnections: true })
  const refused = begin(`${backend.url}/chat/completions`, chat('Hi'))
  await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect((await bodyOf({})).status).toBe(200)
})

test('a socket may be destroyed after a whole answer', async () => {
  const answer = await bodyOf({ closeAfter: true })
  expect(answer.ended).toBe(true)
  await expect.poll(() => backend.connections().open).toBe(0)
})
