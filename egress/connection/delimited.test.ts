import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { Client } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { isDelimited } from './delimited.ts'

const CHUNKED_BODY = '5\r\nhello\r\n0\r\n\r\n'

/** What undici makes of an answer with those header lines: its header, and its body as it was decoded. */
async function readAnswer(lines: readonly string[]) {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(['HTTP/1.1 200 OK', ...lines, '', CHUNKED_BODY].join('\r\n')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await client.destroy()
    server.close()
  })
  const { headers, body } = await client.request({ path: '/', method: 'GET' })
  return { headers, text: await body.text() }
}

test.each([
  ['chunked'],
  ['CHUNKED'],
  ['chunked '],
  ['chunked\t'],
  ['gzip, chunked'],
  ['gzip,\tchunked'],
  [', chunked'],
  ['chunked, chunked'],
  ['gzip', 'chunked'],
  ['identity'],
  ['gzip'],
  ['chunked, gzip'],
  ['chunked,'],
  ['chunked', 'identity'],
  ['chunked;q=1'],
  ['gzip chunked'],
  ['xchunked'],
  ['chunkedx'],
])(
  'of the codings %j the parser reads chunks where an answer counts as delimited, and else to the end',
  async (...codings) => {
    const { headers, text } = await readAnswer(codings.map((coding) => `Transfer-Encoding: ${coding}`))
    expect(text).toBe(isDelimited(headers) ? 'hello' : CHUNKED_BODY)
  },
)

test.each([
  ['a length', { 'content-length': '5' }, true],
  ['nothing', {}, false],
  [
    'a coding without chunks beside a length, which does not count',
    { 'transfer-encoding': 'gzip', 'content-length': '5' },
    false,
  ],
])('an answer with %s', (_, headers, expected) => {
  expect(isDelimited(headers)).toBe(expected)
})
