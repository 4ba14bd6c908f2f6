import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '#egress/testing/gateway.ts'
import { createIdentity, HOSTNAME } from '#egress/testing/identity.ts'
import { probe } from './doctor-probe.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(createIdentity(), (_, response) => void response.end('{}'))
})
afterAll(() => gateway.close())

const targetOf = (port: number, host = '127.0.0.1') => ({ hostname: HOSTNAME, host, port })
const now = (offsetMs = 0) => new Date(Date.now() + offsetMs)
const resultsOf = async (...args: Parameters<typeof probe>) =>
  Object.fromEntries((await probe(...args)).findings.map(({ check, result }) => [check, result]))

test('an endpoint that is reached shows its certificate’s issuer and its time', async () => {
  const { findings, observedIssuer } = await probe(targetOf(gateway.port), now)
  expect(findings.map(({ result }) => result)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(observedIssuer).toBe(`CN=${HOSTNAME}`)
})

test.each([-3_600_000, 3_600_000])('a clock that is %i ms off is told, with its remedy', async (offsetMs) => {
  const { findings } = await probe(targetOf(gateway.port), () => now(offsetMs))
  expect(findings.at(-1)).toMatchObject({
    check: 'clock',
    result: 'failed',
    detail: expect.stringMatching(offsetMs > 0 ? /36\d\d s ahead/ : /(36|35)\d\d s behind/),
    remedy: expect.stringContaining('NTP'),
  })
})

test('what lies behind a failure was not reached, and has not passed (V-12)', async () => {
  expect(await resultsOf(targetOf(443, 'no-such-host.invalid'), now)).toEqual({
    dns: 'failed',
    connect: 'not_reached',
    tls: 'not_reached',
    clock: 'not_reached',
  })
  expect(await resultsOf(targetOf(1), now)).toEqual({
    dns: 'ok',
    connect: 'failed',
    tls: 'not_reached',
    clock: 'not_reached',
  })
})

test('a proxy for CONNECT that does not connect is named', async () => {
  const refusing = createServer().on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  const { port } = refusing.address() as AddressInfo
  const tunnel = { host: '127.0.0.1', port }
  const { findings } = await probe({ ...targetOf(443, 'router.example'), tunnel }, now)
  expect(findings.slice(0, 2)).toMatchObject([
    { check: 'dns', result: 'ok' },
    { check: 'connect', result: 'failed', detail: expect.stringContaining('403') },
  ])
  refusing.close()
})

test('what does not speak TLS is told apart from what is not there', async () => {
  const plain = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo
  expect(await resultsOf(targetOf(port), now)).toEqual({
    dns: 'ok',
    connect: 'ok',
    tls: 'failed',
    clock: 'not_reached',
  })
  plain.close()
})
