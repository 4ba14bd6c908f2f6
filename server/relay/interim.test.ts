import { afterEach, expect, test } from 'vitest'
import { DONE, finishEvent, type Script, textEvent, usageEvent, usageOf } from './testing/backend.ts'
import { ask, askAndSettle, closeWorlds, readStream, startWorld } from './testing/world.ts'

afterEach(closeWorlds)

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'tiny-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: usageOf(9, 1),
})

/** Writes bytes in place of an answer, and closes the connection behind them. */
function says(...parts: readonly string[]): Script {
  return async (_, { socket }) => {
    for (const part of parts) {
      socket.write(part)
      // Each arrives by itself.
      await new Promise((resolve) => setImmediate(resolve))
    }
    socket.end()
  }
}

test.each([
  ['100', CONTINUE],
  ['102, several times', PROCESSING.repeat(20)],
  ['103', HINTS],
  ['100, then 103', CONTINUE + HINTS],
])('a backend’s %s before an answer is passed over, with a length and without', async (_, before) => {
  for (const length of [`Content-Length: ${answer.length}\r\n`, '']) {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${length}\r\n`
    const world = await startWorld({ streamed: false, script: says(before, head, answer) })
    const { reply, outcome } = await askAndSettle(world)
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text).choices[0].message.content).toBe('Hello')
    expect(outcome).toMatchObject({ status: 'ok', usage: { promptTokens: 9, completionTokens: 1 } })
  }
})

test('a backend’s interim answers before a stream are passed over', async () => {
  const events = [textEvent('Hello'), finishEvent(), usageEvent(9, 1), DONE]
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'
  const world = await startWorld({ script: says(CONTINUE, HINTS + head, ...events) })
  const { reply, outcome } = await askAndSettle(world)
  expect(readStream(reply.text).said).toBe('Hello')
  expect(outcome).toMatchObject({ status: 'ok' })
})

test.each([
  [
    'that switches protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  ],
  ['that says nothing but interim answers', HINTS.repeat(1_000)],
])('a backend %s is 502 backend_unavailable at once', async (_, said) => {
  const script: Script = (__, { socket }) => void socket.write(said)
  const { status, text } = await ask(await startWorld({ script }))
  expect(status).toBe(502)
  expect(JSON.parse(text).error.code).toBe('backend_unavailable')
})

test.each([
  ['within an event', textEvent(' you').slice(0, -30)],
  ['between the line ends of one', textEvent(' you').slice(0, -1)],
])('a backend’s stream that is cut %s leaves no half event before the error', async (_, half) => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
  const piece = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  const world = await startWorld({ script: says(head + piece(textEvent('Hello')), piece(half)) })
  const { reply } = await askAndSettle(world)
  const { said, last } = readStream(reply.text)
  expect(said).toBe('Hello')
  expect(last.error).toMatchObject({ code: 'backend_unavailable' })
})
