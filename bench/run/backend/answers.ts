import { stamp } from '../wire/stamps.ts'

const MODEL = 'tiny-chat'
const USAGE = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 }
const CREATED = 1_767_225_600

/** What the model answers whole: head and body in one piece. */
export const wholeAnswer = withLength(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: CREATED,
    model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello to you.' }, finish_reason: 'stop' }],
    usage: USAGE,
  }),
)

/** The head of every stream. */
export const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
)

/** The end of every stream: why it ended, what it took, and the end of the body. */
export const streamEnd = Buffer.from(
  [
    framed(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])),
    framed(chunk([], { usage: USAGE })),
    framed('[DONE]'),
    '0\r\n\r\n',
  ].join(''),
)

/** A chunk that says when it was written. */
export function streamChunk(micros: number): string {
  return framed(chunk([{ index: 0, delta: { content: stamp(micros) }, finish_reason: null }]))
}

/** One that does not. */
export const unstampedChunk = Buffer.from(streamChunk(0))

function chunk(choices: readonly object[], more: object = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: CREATED,
    model: MODEL,
    choices,
    ...more,
  })
}

/** One event, as a chunk of a body of HTTP. All of it is ASCII. */
function framed(data: string): string {
  const event = `data: ${data}\n\n`
  return `${event.length.toString(16)}\r\n${event}\r\n`
}

function withLength(body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}
