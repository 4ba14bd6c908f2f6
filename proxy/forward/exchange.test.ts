import { once } from 'node:events'
import { createServer, get, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { digestOf } from '#attestation'
import type { Admittance } from '#egress/dispatch/pinned.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import { admissionOf, basis } from '../../egress/testing/admissions.ts'
import { noRecorder } from '../journal/recorder.ts'
import { Tally } from '../tally.ts'
import { readAll } from '../testing/world.ts'
import { Exchange } from './exchange.ts'
import type { Route } from './route.ts'

const since = { wallMs: 0, monotonicMs: 0 }
const verdict: Admitted = { state: 'admitted', since, basis, admission: admissionOf(digestOf('leaf')) }
const admittance: Admittance = { verdict, term: new AbortController().signal }
const broken = new Error('broken')

const waitingForVerdict: Partial<Route['attested']> = {
  admit: () => undefined,
  awaitAdmittance: () => Promise.reject(broken),
}

/** What is thrown on the way to a certificate the endpoint tells of itself, and fails the request with it. */
const waitingForCertificate: Partial<Route['attested']> = {
  admit: () => admittance,
  dispatch: (_, __, handler) => handler.onResponseError?.({} as Dispatcher.DispatchController, broken),
}

test.each([
  ['the first verdict', waitingForVerdict, [broken]],
  ['a certificate', waitingForCertificate, []],
])(
  'what is thrown while a request waits for %s is told, and its client is answered',
  async (_, way, told) => {
    const thrown: unknown[] = []
    const route = {
      attested: { now: since, ...way },
      authority: 'router.example',
      basePath: '',
      origins: [],
      recorder: noRecorder,
      tally: new Tally(),
      onThrown: (error: unknown) => void thrown.push(error),
    } as unknown as Route
    const server = createServer((request, response) => new Exchange(request, response, route).start())
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')

    const { port } = server.address() as AddressInfo
    const [answer] = (await once(get({ port, path: '/v1/models', agent: false }), 'response')) as [
      IncomingMessage,
    ]
    expect([answer.statusCode, JSON.parse(await readAll(answer))]).toMatchObject([
      502,
      { error: { code: 'backend_unavailable' } },
    ])
    expect(thrown).toEqual(told)
  },
)

test('a small body is sent again with a second try, and forgotten once a try is sent', async () => {
  const bodies: unknown[] = []
  const dispatch: Route['attested']['dispatch'] = (_, { compose }, handler) => {
    const composed = () => bodies.push(compose.call(handler, verdict).body)
    composed()
    composed()
    handler.onRequestStart?.({} as Dispatcher.DispatchController, undefined)
    composed()
    handler.onResponseError?.({} as Dispatcher.DispatchController, broken)
  }
  const route = {
    attested: { now: since, admit: () => admittance, dispatch },
    authority: 'router.example',
    basePath: '',
    origins: [],
    recorder: noRecorder,
    tally: new Tally(),
    onThrown() {},
  } as unknown as Route
  const server = createServer((request, response) => new Exchange(request, response, route).start())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')

  const { port } = server.address() as AddressInfo
  const sent = request({ port, method: 'POST', agent: false }).end('{}')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  expect(bodies.slice(0, 2)).toEqual([Buffer.from('{}'), Buffer.from('{}')])
  expect(bodies[2]).not.toEqual(Buffer.from('{}'))
})
