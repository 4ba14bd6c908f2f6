import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FamiliarHeads } from './familiar-heads.ts'

/** What Node's parser finds. */
interface Parsed {
  readonly response: ServerResponse
  readonly body: string
}

let parsed: Parsed[] = []
const server = createServer(async (message, response) => {
  try {
    const body = await text(message)
    parsed.push({ response, body })
  } catch {
    // Its end did not come.
  }
  response.end()
})
// A head that expects to be asked on is one like any other here.
server.on('checkContinue', (message, response) => server.emit('request', message, response))

beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => void server.close())

/** All whole requests that Node's parser finds in bytes. */
async function parse(bytes: string): Promise<readonly Parsed[]> {
  parsed = []
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.end(bytes, 'latin1')
  await text(socket).catch(() => {})
  return parsed
}

const headOf = (bytes: string) => Buffer.from(bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4), 'latin1')
const request = (...lines: string[]) => `${['POST /v1/x HTTP/1.1', 'Host: x', ...lines].join('\r\n')}\r\n\r\n`
const plain = request('Authorization: Bearer a', 'Content-Length: 5')

async function learnt(...all: string[]): Promise<FamiliarHeads<string>> {
  const heads = new FamiliarHeads<string>()
  for (const bytes of all) {
    for (const { response } of await parse(bytes)) heads.learn(headOf(bytes), response, saying(response))
  }
  return heads
}

/** What a head says, but for the length of its body. */
function saying({
  req: { method, url, rawHeaders },
  shouldKeepAlive,
}: ServerResponse<IncomingMessage>): string {
  const lengthAt = rawHeaders.findIndex((name) => name.toLowerCase() === 'content-length')
  return JSON.stringify([method, url, shouldKeepAlive, rawHeaders.toSpliced(lengthAt + 1, 1)])
}

const recognize = (heads: FamiliarHeads<string>, bytes: string) =>
  heads.recognize(Buffer.from(bytes, 'latin1'))

test('a request whose head was learnt is known again, whatever its body and the length of that', async () => {
  const heads = await learnt(`${plain}12345`)
  const [{ response }] = (await parse(`${plain}12345`)) as [Parsed]
  expect(recognize(heads, `${plain}abcde`)).toBe(saying(response))
  expect(recognize(heads, `${plain.replace(': 5', ': 12')}${'x'.repeat(12)}`)).toBe(saying(response))
})

test.each([
  ['another key', `${plain.replace('Bearer a', 'Bearer b')}12345`],
  ['another path', `${plain.replace('/v1/x', '/v1/y')}12345`],
  ['a header in another case', `${plain.replace('Host', 'host')}12345`],
  ['a header more', `${request('Authorization: Bearer a', 'Content-Length: 5', 'X-More: 1')}12345`],
  ['less than its body', `${plain}1234`],
  ['more than its body', `${plain}123456`],
  ['a length in other digits', `${plain.replace(': 5', ': 05')}12345`],
  ['no body', plain.replace(': 5', ': 0')],
  ['half a head', plain.slice(0, -2)],
  ['nothing', ''],
])('one with %s is not', async (_, bytes) => {
  expect(recognize(await learnt(`${plain}12345`), bytes)).toBeUndefined()
})

test.each([
  'Connection: close',
  'Proxy-Connection: close',
  'Connection: upgrade\r\nUpgrade: h2c',
  'Expect: 100-continue',
  'X-Long: '.padEnd(1_024, 'x'),
])('a head with %s is not learnt', async (line) => {
  const bytes = `${request('Content-Length: 5', line)}12345`
  expect(recognize(await learnt(bytes), bytes)).toBeUndefined()
})

test('when there are many, all are forgotten', async () => {
  // Of none more is looked at than its length.
  const [{ response }] = (await parse(`${plain}12345`)) as [Parsed]
  const heads = new FamiliarHeads<number>()
  const head = (index: number) => request(`X-Index: ${index}`, 'Content-Length: 5')
  for (let index = 0; index <= 1_024; index++) heads.learn(Buffer.from(head(index)), response, index)
  expect(heads.recognize(Buffer.from(`${head(0)}12345`))).toBeUndefined()
  expect(heads.recognize(Buffer.from(`${head(1_024)}12345`))).toBe(1_024)
})

/** Lines from which heads are made that readers disagree about. */
const line = fc.oneof(
  fc.constantFrom(
    'Content-Length: 5',
    'content-length:5',
    'CONTENT-LENGTH:  5',
    'Content-Length: 05',
    'Content-Length: 5 ',
    'Content-Length: ',
    'Content-Length : 5',
    ' Content-Length: 5',
    '\tContent-Length: 5',
    'X-Content-Length: 5',
    'X: Content-Length: 5',
    'X: a\nContent-Length: 5',
    'X: a\rContent-Length: 5',
    'X: a\n\nContent-Length: 5',
    'X: \0',
    'Transfer-Encoding: chunked',
    'Connection: keep-alive',
    'Connection: close, keep-alive',
    'Proxy-Connection: close',
    'Expect: 100-continue',
    'Authorization: Bearer a',
    'Host: y',
    '',
  ),
  fc.integer({ min: 0, max: 12 }).map((length) => `Content-Length: ${length}`),
)

/** One head, and one that is made from it. */
const pair = fc
  .tuple(
    fc.array(line, { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 0, max: 12 }),
    fc.option(fc.tuple(fc.nat(3), line)),
    fc.integer({ min: 0, max: 12 }),
  )
  .map(([lines, length, change, otherLength]) => {
    const other = change === null ? lines : lines.with(change[0] % lines.length, change[1])
    const body = (count: number) => '0\r\n\r\n1234567'.slice(0, count)
    const again = request(...other).replace(/(content-length: ?)\d+/i, `$1${otherLength}`)
    return [`${request(...lines)}${body(length)}`, `${again}${body(otherLength)}`] as const
  })

test('whatever is known again says to Node what was learnt, and is one request', {
  timeout: 120_000,
}, async () => {
  let known = 0
  await fc.assert(
    fc.asyncProperty(pair, async ([first, again]) => {
      const heads = await learnt(first)
      const found = recognize(heads, again)
      if (found === undefined) return
      known++
      const all = await parse(again)
      expect(all).toHaveLength(1)
      const [{ response, body }] = all as [Parsed]
      expect(saying(response)).toBe(found)
      expect(body).toBe(again.slice(again.indexOf('\r\n\r\n') + 4))
    }),
    { numRuns: 1_500 },
  )
  // Some sixty are, as the pairs are made.
  expect(known).toBeGreaterThan(20)
})
