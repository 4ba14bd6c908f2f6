import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import { startTestGateway, type TestGateway } from '../tests/gateway.ts'
import { untilPublished } from './published.ts'
import { type Subject, verifyArgs, verifyEvidence } from './verification.ts'

let gateway: TestGateway
let subject: Subject

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:1')
  const { url, rootPemFile, platform } = gateway.gateway
  subject = { platformUrl: url, rootPemFile, pin: platform.publication.evidenceDigest }
})
afterAll(() => gateway.close())

test('evidence of the pinned deployment is admitted', async () => {
  expect(await verifyEvidence(subject)).toEqual({ hostname: 'router.localhost', digest: subject.pin })
})

test('people are shown the words that judge it, with the pin in hex', () => {
  const { platformUrl, rootPemFile, pin } = subject
  const hex = toHex(pin as ReturnType<typeof digestOf>)
  expect(verifyArgs(subject)).toEqual(
    ['verify', platformUrl, '--hostname', 'router.localhost', '--root', rootPemFile].concat('--pin', hex),
  )
})

test('evidence that is refused is a failure that says the stage, the reason and the remedy', async () => {
  const pin = digestOf('another deployment')
  await expect(verifyEvidence({ ...subject, pin })).rejects.toMatchObject({
    message: 'The evidence is refused: policy, digest_not_pinned.',
    details: [expect.stringMatching(/\w/), expect.stringMatching(/\w/)],
  })
})

test('a command that cannot judge is a failure too', async () => {
  const rootPemFile = '/nowhere/root.pem'
  await expect(verifyEvidence({ ...subject, rootPemFile })).rejects.toMatchObject({
    message: 'bin/proxy verify failed with exit code 1.',
    details: [expect.stringContaining('/nowhere/root.pem')],
  })
})

test('the evidence is published once this deployment’s bundle comes back, and not before', async () => {
  const { bytes } = gateway.gateway.platform.publication
  const replies: readonly (readonly [number, Buffer | string])[] = [
    [502, 'not yet'],
    [503, '{"reason":"evidence_not_fetched"}'],
    [200, '{}'],
    [200, bytes],
  ]
  let asked = 0
  const server = createServer((_, response) => {
    const [status, body] = replies[asked++] ?? [500, 'asked once too often']
    response.writeHead(status).end(body)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await untilPublished(`http://127.0.0.1:${port}/v1`, subject.pin, new AbortController().signal)
  expect(asked).toBe(replies.length)
})
