import { hash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EvidenceBundle, SignatureAlgorithm } from '#contract/models'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { isEvidencePayload } from '#contract/validators/evidence-payload'
import { certify, createAuthorities } from '../certificates/authority.ts'
import { generateKeys } from '../certificates/keys.ts'
import { createSnapshot } from '../deployment/snapshot.ts'
import { HOSTNAME, RESOURCES } from '../test-support.ts'
import { type Publication, type Signer, signBundle } from './bundle.ts'

const NOW = new Date('2026-01-01T12:00:00.123Z')
const [authority] = await createAuthorities('Intel TDX (GCP)', NOW)

const ECDSA = { dsaEncoding: 'ieee-p1363' } as const

/** How each algorithm is checked with nothing but node:crypto. */
const checks: readonly [SignatureAlgorithm, digest: string | null, bytes: number, kind: string][] = [
  ['RS256', 'sha256', 256, 'rsa'],
  ['ES256', 'sha256', 64, 'prime256v1'],
  ['ES384', 'sha384', 96, 'secp384r1'],
  ['EdDSA', null, 64, 'ed25519'],
  ['ES256K', 'sha256', 64, 'secp256k1'],
]

test.each(checks)(
  'A bundle signed with %s verifies under the key of its chain',
  async (name, digest, bytes, kind) => {
    const bundle = read(await publish(await createSigner(name)))
    const [header, payload, signature = ''] = bundle.jws.split('.')
    const key = new X509Certificate(bundle.certChain[0]!).publicKey
    const check = (text: string): boolean =>
      verify(digest, Buffer.from(text), { key, ...ECDSA }, Buffer.from(signature, 'base64url'))
    expect(JSON.parse(decode(header))).toEqual({ alg: name })
    expect(key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType).toBe(kind)
    expect(Buffer.from(signature, 'base64url')).toHaveLength(bytes)
    expect(check(`${header}.${payload}`)).toBe(true)
    expect(check(`${header}.${payload}A`)).toBe(false)
  },
)

test('The envelope and the signed payload are of the contract and say the same', async () => {
  const bundle = read(await publish(await createSigner('ES256')))
  const payload = JSON.parse(decode(bundle.jws.split('.')[1]))
  expect(isEvidenceBundle(bundle)).toBe(true)
  expect(isEvidencePayload(payload)).toBe(true)
  const { version, kind, hostname, issuedAt, certFingerprint } = bundle
  expect(payload).toMatchObject({ version, kind, hostname, issuedAt, certFingerprint })
  expect({ version, kind, hostname, issuedAt }).toEqual({
    version: 1,
    kind: 'DeploymentEvidence',
    hostname: HOSTNAME,
    issuedAt: '2026-01-01T12:00:00.123Z',
  })
  expect(bundle.rootCaTeeQuote).toEqual({ status: 'not-implemented' })
})

test('The fingerprint is that of the TLS certificate, which stands in the bundle too', async () => {
  const { certFingerprint, tlsLeaf } = read(await publish(await createSigner('ES256')))
  const digest = hash('sha256', new X509Certificate(tlsLeaf).raw, 'base64url')
  expect(certFingerprint).toBe(`sha256/${digest}`)
})

test('The digest is that of the bytes of the evidence as they stand in the payload', async () => {
  const { jws } = read(await publish(await createSigner('ES256')))
  const payload = decode(jws.split('.')[1])
  const [evidence = ''] = /(?<="evidence":).*(?=,"evidenceDigest")/.exec(payload) ?? []
  expect(JSON.parse(payload).evidenceDigest).toBe(`sha256/${hash('sha256', evidence, 'base64url')}`)
})

test('A deployment that verifiers would not read is not signed', async () => {
  const huge = createSnapshot([{ kind: 'ConfigMap', data: 'x'.repeat(1024 * 1024) }])
  await expect(publish(await createSigner('ES256'), huge)).rejects.toThrow(/too large.*1048576/)
  const crowded = createSnapshot([{ kind: 'ConfigMap', data: Array.from({ length: 32_768 }, () => 0) }])
  await expect(publish(await createSigner('ES256'), crowded)).rejects.toThrow(/too large.*32768/)
})

async function createSigner(algorithm: SignatureAlgorithm): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeys(algorithm)
  return { algorithm, privateKey, chain: chainFor(publicKey) }
}

function chainFor(key: KeyObject): X509Certificate[] {
  return [certify(authority, key, 'signing', HOSTNAME, NOW), authority.intermediate, authority.root]
}

async function publish(signer: Signer, snapshot = createSnapshot(RESOURCES)): Promise<Publication> {
  const { publicKey } = await generateKeys('ES256')
  const leaf = certify(authority, publicKey, 'tls', HOSTNAME, NOW)
  return signBundle({ hostname: HOSTNAME, issuedAt: NOW, leaf, snapshot }, signer)
}

function read({ bytes }: Publication): Required<EvidenceBundle> {
  return JSON.parse(bytes.toString('utf8'))
}

function decode(part: string | undefined): string {
  return Buffer.from(part ?? '', 'base64url').toString('utf8')
}
