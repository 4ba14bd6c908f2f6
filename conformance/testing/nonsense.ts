import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, type Socket, type Server as TcpServer } from 'node:net'

/** Ways to answer that no product has, and every product may have for a day. */
export const nonsense: Readonly<Record<string, () => RequestListener | TcpServer>> = {
  'JSON of other forms': () => turns(values, 'application/json'),
  'right forms with wrong values': () => answering('application/json', poisoned),
  'event streams of nonsense': () => turns(values.map(asEvents), 'text/event-stream'),
  'streams of right events with wrong values': () =>
    answering('text/event-stream', () => asEvents(poisoned()) + asEvents('[DONE]')),
  'errors of other forms': () =>
    turns(
      values.map((value) => `{"error":${value}}`),
      'application/json',
      401,
    ),
  'a page': () => answering('text/html', () => '<!doctype html><title>Welcome</title>'),
  'a page of a gateway that is down': () => answering('text/html', () => '<h1>502</h1>', 502),
  'bytes of chance': () => answering('application/json', () => randomBytes(400)),
  'a stream of empty lines without end': () => flood('text/event-stream', '\n'.repeat(65_536)),
  'a stream of small events without end': () => flood('text/event-stream', asEvents('{}').repeat(4_000)),
  'one text without end': () => flood('application/json', `"${'x'.repeat(65_536)}`),
  'a byte now and then': () => drip,
  'half of what it promises': () => half,
  'a redirection to itself': () => redirect,
  'heads of sixteen kilobytes': () => longHeads,
  'cookies of nonsense': () => cookies,
  'no HTTP': () => raw('\u0000\u0001 hello\r\n\r\n'),
  'half a status line': () => raw('HTTP/1.1 2'),
  'a status that there is not': () => raw('HTTP/1.1 999 \r\ncontent-length: 0\r\n\r\n'),
  'another protocol': () => raw('HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nx'),
  'first answers alone': () => raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200)),
  'broken chunks': () => raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nx\r\n'),
  'a connection that is reset': () => tcp((socket) => void socket.resetAndDestroy()),
  nothing: () => tcp(() => {}),
}

/** JSON that is none, or means nothing here. */
const values = [
  'null',
  '[]',
  '"text"',
  '-1e999',
  '{}',
  '{"error":null}',
  '{"choices":[]}',
  '{"choices":[null],"usage":null}',
  '{"object":"list","data":[null,1,{"id":7}]}',
  '{"data":{"status":{}},"id":[],"__proto__":{"x":1},"toString":1}',
  '['.repeat(50_000),
  '{"a":'.repeat(50_000),
  '{"half":',
]

/** Members that every operation has, each with a value that it never has. */
function poisoned(): string {
  const odd = [
    '\u0000\r\n/../?#%zz',
    -1,
    1e308,
    null,
    [],
    {},
    true,
    'ü'.repeat(500),
    'gen-',
    Number.MAX_VALUE,
  ]
  const any = () => odd[Math.floor(Math.random() * odd.length)]
  const message = { role: any(), content: any(), tool_calls: [any()], refusal: any() }
  const usage = { prompt_tokens: any(), completion_tokens: any(), total_tokens: any(), cost_micros: any() }
  const choice = { index: any(), message, delta: message, text: any(), finish_reason: any() }
  const members = { object: any(), created: any(), model: any(), usage, choices: [choice], created_at: any() }
  const bundle = { kind: 'DeploymentEvidence', jws: `${any()}.${any()}.${any()}`, certChain: [String(any())] }
  const row = { ...members, pricing: { prompt_per_1m_micros: any() }, endpoint: any(), id: any() }
  return JSON.stringify({
    ...members,
    ...bundle,
    id: any(),
    data: [row],
    me: { workspace: row, email: any() },
  })
}

function asEvents(value: string): string {
  return `data: ${value}\n\n`
}

function answering(type: string, body: () => string | Buffer, status = 200): RequestListener {
  return (incoming, response) => {
    incoming.resume()
    response.writeHead(status, { 'content-type': type, 'x-router-generation-id': String(poisoned().length) })
    response.end(body())
  }
}

/** Answers with one after the other. */
function turns(bodies: readonly string[], type: string, status = 200): RequestListener {
  let turn = 0
  return answering(type, () => bodies[turn++ % bodies.length] ?? '', status)
}

function flood(type: string, piece: string): RequestListener {
  const bytes = Buffer.from(piece)
  return begun(type, (response) => {
    const go = () => {
      while (!response.destroyed && response.write(bytes));
    }
    response.on('drain', go)
    go()
  })
}

const DRIP_MS = 10

const drip = begun('text/event-stream', (response) => {
  const timer = setInterval(() => response.write(':'), DRIP_MS)
  response.on('close', () => clearInterval(timer))
})

/** An answer that begins well, and how it goes on. */
function begun(type: string, goOn: (response: ServerResponse) => void): RequestListener {
  return (incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': type })
    // A write to what has no body is done at once, for ever.
    if (incoming.method === 'HEAD') response.end()
    else goOn(response)
  }
}

const half: RequestListener = (incoming, response) => {
  incoming.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"object":"list",', () => response.destroy())
}

const redirect: RequestListener = (incoming: IncomingMessage, response) => {
  incoming.resume()
  response.writeHead(307, { location: incoming.url ?? '/' })
  response.end()
}

const longHeads: RequestListener = (incoming, response) => {
  incoming.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'x-long': 'x'.repeat(15_000) })
  response.end('{}')
}

const cookies: RequestListener = (incoming, response) => {
  incoming.resume()
  const odd = ['=', ';;;', 'a', 'a=b; expires=never; max-age=-', `b=${'c'.repeat(3_000)}`, '__proto__=x']
  response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': odd })
  response.end('{"created":true,"granted_micros":null,"me":{"email":1,"workspace":{}}}')
}

/** Says the same to whatever comes, and hangs up. */
function raw(text: string): TcpServer {
  return tcp((socket) => socket.end(text))
}

function tcp(heard: (socket: Socket) => void): TcpServer {
  return createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => heard(socket))
  })
}
