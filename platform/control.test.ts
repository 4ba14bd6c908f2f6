import { hash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isErrorBody } from '#contract/validators/error-body'
import { DIGEST, HOSTNAME, startWorld } from './test-support.ts'

const OTHER = `sha256:${'b'.repeat(64)}`

test('The state tells what is published and what is shown', async () => {
  const { control, fetchEvidence, gateway, root } = await startWorld()
  const { bundle, leaf } = await fetchEvidence()
  const { status, json } = await control('GET', '/state')
  expect(status).toBe(200)
  expect(json).toEqual({
    url: gateway.url,
    hostname: HOSTNAME,
    algorithm: 'ES256',
    held: false,
    digest: payloadOf(bundle.jws).evidenceDigest,
    issuedAt: bundle.issuedAt,
    certFingerprint: leaf,
    fingerprint: leaf,
    rootFingerprint: `sha256/${hash('sha256', new X509Certificate(root).raw, 'base64url')}`,
    rootPemFiles: [gateway.rootPemFile],
    forwarded: {},
  })
})

test('Rotating the leaf changes the leaf and the bundle, and neither signer nor deployment', async () => {
  const { control, fetchEvidence } = await startWorld()
  const before = await fetchEvidence()
  const { json } = await control('POST', '/rotate/leaf')
  const after = await fetchEvidence()
  expect(after.leaf).not.toBe(before.leaf)
  expect(json).toMatchObject({ fingerprint: after.leaf, certFingerprint: after.leaf })
  expect(after.bundle.certChain).toEqual(before.bundle.certChain)
  expect(digestOf(after.bundle)).toBe(digestOf(before.bundle))
})

test('Rotating the signer changes key and certificate below the same intermediate and root', async () => {
  const { control, fetchEvidence } = await startWorld()
  const { bundle: before, leaf } = await fetchEvidence()
  await control('POST', '/rotate/signer')
  const { bundle: after, leaf: leafAfter } = await fetchEvidence()
  expect(after.certChain[0]).not.toBe(before.certChain[0])
  expect(after.certChain.slice(1)).toEqual(before.certChain.slice(1))
  expect(leafAfter).toBe(leaf)
  expect(digestOf(after)).toBe(digestOf(before))
})

test('Rotating the chain moves the signer below another intermediate of the same root, and back', async () => {
  const { control, fetchEvidence } = await startWorld()
  const chains = [(await fetchEvidence()).bundle.certChain]
  for (let count = 0; count < 2; count++) {
    await control('POST', '/rotate/chain')
    chains.push((await fetchEvidence()).bundle.certChain)
  }
  const [first, second, third] = chains
  expect(new Set(chains.map(([signer]) => signer)).size).toBe(3)
  expect(second![1]).not.toBe(first![1])
  expect(third![1]).toBe(first![1])
  for (const [signer, intermediate, root] of chains) {
    expect(root).toBe(first![2])
    expect(new X509Certificate(signer!).verify(new X509Certificate(intermediate!).publicKey)).toBe(true)
    expect(new X509Certificate(intermediate!).verify(new X509Certificate(root!).publicKey)).toBe(true)
  }
})

test('A root that was prepared can be trusted before the signer moves below it; TLS stays where it is', async () => {
  const { control, fetchEvidence } = await startWorld()
  const before = await fetchEvidence()
  const { json } = await control('POST', '/prepare/root')
  const [, next] = json.rootPemFiles as string[]
  expect((await fetchEvidence()).text).toBe(before.text)
  expect((await control('POST', '/rotate/root')).json.rootFingerprint).not.toBe(json.rootFingerprint)
  const { bundle, leaf } = await fetchEvidence()
  expect(bundle.certChain.at(-1)).toBe(readFileSync(next!, 'utf8'))
  expect(leaf).toBe(before.leaf)
  await control('POST', '/rotate/root')
  expect((await fetchEvidence()).bundle.certChain.at(-1)).toBe(before.bundle.certChain.at(-1))
})

test('The state counts what was forwarded by the certificate of its connection, evidence apart', async () => {
  const { control, fetchEvidence, send } = await startWorld()
  const { leaf } = await fetchEvidence()
  await send('/v1/models')
  await control('POST', '/rotate/leaf')
  await send('/v1/models', { agent: false })
  const { json } = await control('GET', '/state')
  expect(json.forwarded).toEqual({ [leaf]: 1, [json.fingerprint as string]: 1 })
})

test('The signer can be rotated to another algorithm', async () => {
  const { control, fetchEvidence } = await startWorld()
  for (const algorithm of ['RS256', 'ES384', 'EdDSA', 'ES256K', 'ES256']) {
    expect((await control('POST', '/rotate/signer', { algorithm })).json.algorithm).toBe(algorithm)
    const { bundle } = await fetchEvidence()
    expect(JSON.parse(decode(bundle.jws, 0))).toEqual({ alg: algorithm })
  }
})

test('Rotating the deployment changes the digest, and neither leaf nor signer', async () => {
  const { control, fetchEvidence } = await startWorld()
  const before = await fetchEvidence()
  await control('POST', '/rotate/deployment')
  const after = await fetchEvidence()
  expect(digestOf(after.bundle)).not.toBe(digestOf(before.bundle))
  expect(after.leaf).toBe(before.leaf)
  expect(after.bundle.certChain).toEqual(before.bundle.certChain)
})

test('A deployment can run another image and be restored', async () => {
  const { control, fetchEvidence } = await startWorld()
  const { json: before } = await control('GET', '/state')
  await control('POST', '/rotate/deployment', { images: { 'registry.example/router': OTHER } })
  const { bundle } = await fetchEvidence()
  expect(decode(bundle.jws, 1)).toContain(`registry.example/router@${OTHER}`)
  expect(decode(bundle.jws, 1)).not.toContain(DIGEST)
  const { json: restored } = await control('POST', '/rotate/deployment', { restore: true })
  expect(restored.digest).toBe(before.digest)
})

test.each(['/rotate/signer', '/rotate/chain', '/rotate/root', '/rotate/deployment'])(
  '%s?resign=later shows at the next signing',
  async (path) => {
    const { control, fetchEvidence } = await startWorld()
    const before = await fetchEvidence()
    await control('POST', `${path}?resign=later`)
    expect((await fetchEvidence()).text).toBe(before.text)
    await control('POST', '/resign')
    const { bundle } = await fetchEvidence()
    expect([bundle.certChain[0], digestOf(bundle)]).not.toEqual([
      before.bundle.certChain[0],
      digestOf(before.bundle),
    ])
  },
)

test.each([
  ['GET', '/', undefined, 404, 'not_found'],
  ['GET', '/hold', undefined, 404, 'not_found'],
  ['POST', '/rotate', undefined, 404, 'not_found'],
  ['POST', '/rotate/leaf?resign=never', undefined, 400, 'invalid_json'],
  ['POST', '/rotate/signer', { algorithm: 'none' }, 400, 'invalid_json'],
  ['POST', '/rotate/signer', { alg: 'ES256' }, 400, 'invalid_json'],
  ['POST', '/rotate/signer', [], 400, 'invalid_json'],
  ['POST', '/rotate/deployment', { images: { absent: OTHER } }, 400, 'invalid_json'],
])('%s %s with %j is refused and changes nothing', async (method, path, body, status, code) => {
  const { control } = await startWorld()
  const { json: before } = await control('GET', '/state')
  const answer = await control(method, path, body)
  expect(answer.status).toBe(status)
  expect(isErrorBody(answer.json)).toBe(true)
  expect(answer.json).toMatchObject({ error: { code } })
  expect((await control('GET', '/state')).json).toEqual(before)
})

test('A page in a browser can control nothing', async () => {
  const { gateway, control } = await startWorld()
  const { json: before } = await control('GET', '/state')
  const headers = { origin: 'https://page.example' }
  const answer = await fetch(`${gateway.controlUrl}/rotate/leaf`, { method: 'POST', headers })
  expect(answer.status).toBe(403)
  expect((await control('GET', '/state')).json).toEqual(before)
})

function digestOf({ jws }: { readonly jws: string }): unknown {
  return payloadOf(jws).evidenceDigest
}

function payloadOf(jws: string): Readonly<Record<string, unknown>> {
  return JSON.parse(decode(jws, 1))
}

function decode(jws: string, part: number): string {
  return Buffer.from(jws.split('.')[part]!, 'base64url').toString('utf8')
}
