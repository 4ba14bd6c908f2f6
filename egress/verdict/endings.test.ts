import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Outcome } from '../evidence/attest.ts'
import { createAttest } from '../evidence/attest.ts'
import { createIdentity, HOSTNAME } from '../testing/identity.ts'
import { answering, type RawScript, startRawServer } from '../testing/raw-server.ts'
import { Attestor } from './attestor.ts'
import { proxyRules } from './verdict.ts'

const identity = createIdentity()
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

/** In place of the contract's fifteen seconds, where nothing is to come. */
const SHORT_MS = 300

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n'
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n'

/** Asks nobody and answers before it is asked. */
const unasked =
  (text: string): RawScript =>
  (socket) =>
    void socket.end(text)

const resetAfter =
  (text: string): RawScript =>
  (socket, reset) => {
    socket.once('data', () => socket.write(text, reset))
  }

const destroyAfter =
  (text: string): RawScript =>
  (socket) => {
    socket.once('data', () => socket.write(text, () => socket.destroy()))
  }

/** Writes the same for as long as it is taken. */
const endless =
  (first: string, again: string): RawScript =>
  (socket) => {
    const more = again.repeat(100)
    const write = (): void => {
      while (!socket.destroyed && socket.write(more));
    }
    socket.once('data', () => {
      socket.write(first)
      write()
    })
    socket.on('drain', write)
  }

/** How a connection can end, at every stage, and what is made of it. */
const endings: readonly (readonly [title: string, script: RawScript, kind: string, reason: string])[] = [
  ['a close after the handshake', (socket) => void socket.end(), 'unfinished', 'unreachable'],
  ['a reset after the handshake', (_, reset) => reset(), 'unfinished', 'unreachable'],
  ['a close after the request', answering(''), 'unfinished', 'unreachable'],
  ['a reset after the request', resetAfter(''), 'unfinished', 'unreachable'],
  ['silence after the handshake', () => {}, 'unfinished', 'timeout'],
  ['silence after the request', answering('', { isEnding: false }), 'unfinished', 'timeout'],
  ['silence in the head', answering('HTTP/1.1 200 OK\r\nx-', { isEnding: false }), 'unfinished', 'timeout'],
  ['silence after the head', answering(CHUNKED, { isEnding: false }), 'unfinished', 'timeout'],
  ['silence in the body', answering(`${CHUNKED}2\r\n{}`, { isEnding: false }), 'unfinished', 'timeout'],
  ['a close in the status line', answering('HTTP/1.1 2'), 'unfinished', 'unreachable'],
  ['a close in the head', answering('HTTP/1.1 200 OK\r\nx-'), 'unfinished', 'unreachable'],
  ['a reset in the head', resetAfter('HTTP/1.1 200 OK\r\nx-'), 'unfinished', 'unreachable'],
  ['a close after the head', answering(`${HEAD}content-length: 9\r\n\r\n`), 'unfinished', 'unreachable'],
  ['a destroyed body', destroyAfter(`${HEAD}content-length: 9\r\n\r\n{`), 'unfinished', 'unreachable'],
  ['a body that is cut', answering(`${HEAD}content-length: 9\r\n\r\n{`), 'unfinished', 'unreachable'],
  ['a chunk that is cut', answering(`${CHUNKED}9\r\n{`), 'unfinished', 'unreachable'],
  ['chunks without their end', answering(`${CHUNKED}2\r\n{}\r\n`), 'unfinished', 'unreachable'],
  ['a body without length that is cut', answering(`${HEAD}\r\n{"version":1,`), 'unfinished', 'unreachable'],
  [
    'a body of another coding that is cut',
    answering(`${HEAD}transfer-encoding: identity\r\n\r\n{"version":1,`),
    'unfinished',
    'unreachable',
  ],
  ['a body without length that never began', answering(`${HEAD}\r\n`), 'unfinished', 'unreachable'],
  ['a body without length that is whole', answering(`${HEAD}\r\n{}`), 'failed', 'malformed_bundle'],
  ['a page without length', answering(`${HEAD}\r\n<html></html>`), 'failed', 'not_json'],
  ['trailers', answering(`${CHUNKED}2\r\n{}\r\n0\r\nx-more: 1\r\n\r\n`), 'failed', 'malformed_bundle'],
  ['trailers that are cut', answering(`${CHUNKED}2\r\n{}\r\n0\r\nx-mo`), 'unfinished', 'unreachable'],
  [
    'endless trailers',
    endless(`${CHUNKED}2\r\n{}\r\n0\r\n`, 'x-more: 0123456789\r\n'),
    'unfinished',
    'unreachable',
  ],
  [
    'another protocol',
    answering(`${SWITCH}connection: upgrade\r\nupgrade: x\r\n\r\n`),
    'failed',
    'http_status',
  ],
  [
    'another protocol, held open',
    answering(`${SWITCH}connection: upgrade\r\nupgrade: x\r\n\r\nhello`, { isEnding: false }),
    'failed',
    'http_status',
  ],
  ['another protocol without a name', answering(`${SWITCH}\r\n`), 'failed', 'http_status'],
  [
    'another protocol, reset',
    resetAfter(`${SWITCH}connection: upgrade\r\nupgrade: x\r\n\r\n`),
    'failed',
    'http_status',
  ],
  [
    'another protocol before it was asked',
    unasked(`${SWITCH}connection: upgrade\r\nupgrade: x\r\n\r\n`),
    'failed',
    'http_status',
  ],
  [
    'an answer that would also upgrade',
    answering(`${HEAD}connection: upgrade\r\nupgrade: x\r\ncontent-length: 2\r\n\r\n{}`),
    'failed',
    'malformed_bundle',
  ],
  ['426', answering('HTTP/1.1 426 Upgrade Required\r\nupgrade: x\r\n\r\n'), 'failed', 'http_status'],
  [
    'a tunnel',
    answering('HTTP/1.1 200 Connection established\r\n\r\n', { isEnding: false }),
    'unfinished',
    'timeout',
  ],
  ['information alone', answering(HINT), 'unfinished', 'unreachable'],
  ['information and silence', answering(HINT, { isEnding: false }), 'unfinished', 'timeout'],
  ['endless information', endless('', HINT), 'unfinished', 'http_status'],
  [
    'information and an answer',
    answering(`HTTP/1.1 100 Continue\r\n\r\n${HINT}${HEAD}content-length: 2\r\n\r\n{}`),
    'failed',
    'malformed_bundle',
  ],
  ['endless headers', endless('HTTP/1.1 200 OK\r\n', 'x-more: 0123456789\r\n'), 'failed', 'not_json'],
  ['an endless body', endless(`${HEAD}\r\n`, '{{{{{{{{{{{{{{{{{{{{{{{{{{'), 'failed', 'too_large'],
  [
    'two answers',
    answering(`${`${HEAD}content-length: 2\r\n\r\n{}`.repeat(2)}`),
    'failed',
    'malformed_bundle',
  ],
  [
    'an answer before it was asked',
    unasked(`${HEAD}content-length: 2\r\n\r\n{}`),
    'failed',
    'malformed_bundle',
  ],
  ['a body where none may be', answering('HTTP/1.1 204 No Content\r\n\r\n{}'), 'failed', 'http_status'],
  [
    'two lengths',
    answering(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `),
    'failed',
    'not_json',
  ],
]

test.each(endings)(
  'a check that meets %s settles, and the next one runs',
  async (_, script, kind, reason) => {
    const server = await startRawServer(identity, script)
    open.push(server)
    const outcomes: Outcome[] = []
    let patience = reason === 'timeout' ? { timeoutMs: SHORT_MS } : {}
    const target = { hostname: HOSTNAME, host: '127.0.0.1', port: server.port }
    const expected = { roots: [], pins: [], maxBundleAgeMs: 1_000 }
    const attestor = new Attestor({
      attest: (signal) => createAttest(target, () => new Date(), patience)(expected, undefined, signal),
      clock: systemClock,
      rules: proxyRules,
      onVerdict: () => {},
      onCheck: (outcome) => void outcomes.push(outcome),
      onThrown: (error) => expect.unreachable(String(error)),
    })
    open.push({ close: async () => attestor.stop() })
    await attestor.attest()
    expect(outcomes).toEqual([expect.objectContaining({ kind, ground: expect.objectContaining({ reason }) })])
    patience = {}
    server.play(answering('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'))
    await attestor.attest()
    expect(server.accepted).toBeGreaterThanOrEqual(2)
    expect(outcomes.at(-1)).toMatchObject({ kind: 'failed', ground: { reason: 'http_status' } })
  },
)
