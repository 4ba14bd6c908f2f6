import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { AttestationError, digestOf } from '#attestation'
import type { Admitted } from '#egress/verdict/verdict.ts'
import { admissionOf, basis } from '../../egress/testing/admissions.ts'
import { Tally } from '../admin/tally.ts'
import { noRecorder } from '../journal/recorder.ts'
import { readAll } from '../testing/world.ts'
import { Exchange } from './exchange.ts'
import type { Route } from './route.ts'

const since = { wallMs: 0, monotonicMs: 0 }
const verdict: Admitted = { state: 'admitted', since, basis, admission: admissionOf(digestOf('leaf')) }
const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')

test('what is thrown while a request waits for a certificate is told, and its client is answered', async () => {
  const thrown: unknown[] = []
  const broken = new Error('broken')
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) =>
    handler.onResponseError?.({} as Dispatcher.DispatchController, mismatch)
  const route = {
    attestor: { now: since, verdict, look: () => verdict, awaitRenewal: () => Promise.reject(broken) },
    pools: { of: () => ({ dispatch }) },
    authority: 'router.example',
    basePath: '',
    origins: [],
    recorder: noRecorder,
    tally: new Tally(),
    onRefusedLeaf() {},
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
  expect(thrown).toEqual([broken])
})
