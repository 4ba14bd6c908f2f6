import { execFileSync } from 'node:child_process'
import type { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RootLabel, SignatureAlgorithm } from '#contract/models'
import { HOSTNAME, temporaryFolder } from '../test-support.ts'
import { type Authority, certify, createAuthorities, type Purpose } from './authority.ts'
import { algorithmOf, generateKeys } from './keys.ts'

const NOW = new Date()
const [authority] = await createAuthorities('Intel TDX (QEMU)', NOW)

test.each<[Purpose, SignatureAlgorithm]>([
  ['tls', 'ES256'],
  ['signing', 'RS256'],
  ['signing', 'ES256'],
  ['signing', 'ES384'],
  ['signing', 'EdDSA'],
  ['signing', 'ES256K'],
])(
  'OpenSSL takes the chain of a %s certificate with a key for %s at its strictest',
  { tags: ['openssl'] },
  async (purpose, name) => {
    const leaf = await issue(purpose, name)
    expect(verifyStrictly(leaf, authority, HOSTNAME)).toContain('leaf.pem: OK')
    expect(() => verifyStrictly(leaf, authority, 'other.test')).toThrow(/hostname mismatch/i)
  },
)

test('OpenSSL takes the TLS certificate as that of a server', { tags: ['openssl'] }, async () => {
  const leaf = await issue('tls', 'ES256')
  expect(verifyStrictly(leaf, authority, '127.0.0.1', '-purpose', 'sslserver')).toContain('OK')
  expect(leaf.subjectAltName).toBe(`DNS:${HOSTNAME}, DNS:localhost, IP Address:127.0.0.1`)
})

test('A signing certificate names the hostname and nothing else, and is no authority', async () => {
  const leaf = await issue('signing', 'ES256')
  expect(leaf.subjectAltName).toBe(`DNS:${HOSTNAME}`)
  expect(leaf.ca).toBe(false)
  expect([authority.intermediate.ca, authority.root.ca]).toEqual([true, true])
})

test('A chain leads to its own root alone', { tags: ['openssl'] }, async () => {
  const [other] = await createAuthorities('Intel TDX (QEMU)', NOW)
  const leaf = await issue('signing', 'ES256')
  expect(() => verifyStrictly(leaf, { ...authority, root: other.root }, HOSTNAME)).toThrow(/error/)
  expect(other.root.subject).not.toBe(authority.root.subject)
})

test('A name is an organisation and a common name below it', async () => {
  const leaf = await issue('signing', 'ES256')
  expect(leaf.subject).toBe('O=Reference platform\nCN=Evidence signer')
  expect(leaf.issuer).toBe(authority.intermediate.subject)
  expect(authority.intermediate.issuer).toBe(authority.root.subject)
})

test('Serial numbers are positive, long and never the same', async () => {
  const leaves = await Promise.all([issue('tls', 'ES256'), issue('tls', 'ES256'), issue('signing', 'ES256')])
  const serials = leaves.map(({ serialNumber }) => serialNumber)
  expect(new Set(serials).size).toBe(3)
  for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/)
})

test('Certificates are valid already for a clock that is a little behind', async () => {
  const leaf = await issue('tls', 'ES256')
  for (const { validFromDate } of [leaf, authority.intermediate, authority.root]) {
    expect(NOW.getTime() - validFromDate.getTime()).toBeGreaterThan(60_000)
  }
})

test('From 2050 on a year has four digits', async () => {
  const [late] = await createAuthorities('Intel TDX (QEMU)', new Date('2045-06-01T00:00:00Z'))
  expect(late.root.validToDate.getUTCFullYear()).toBe(2055)
  expect(late.root.validFromDate.getUTCFullYear()).toBe(2045)
})

test.each<[RootLabel, number]>([
  ['AMD SEV-SNP (QEMU)', 1],
  ['Intel TDX (QEMU)', 2],
  ['Intel TDX (GCP)', 3],
  ['Intel TDX (Azure)', 4],
  ['AMD SEV-SNP (Azure)', 5],
])('A root that names %s carries a message whose only field is number %i', async (label, field) => {
  const [{ root }] = await createAuthorities(label, NOW)
  // OID 0.6.9.42.840.113741.1337.6, no critical flag, and the extension's value.
  const [, length, message] = /060b06092a864886f84d8a390604(..)(.*)/.exec(root.raw.toString('hex'))!
  const bytes = Buffer.from(message!, 'hex').subarray(0, Number.parseInt(length!, 16))
  expect(bytes[0]).toBe((field << 3) | 2)
  expect(bytes[1]).toBe(bytes.length - 2)
})

async function issue(purpose: Purpose, algorithm: SignatureAlgorithm): Promise<X509Certificate> {
  const { privateKey, publicKey } = await generateKeys(algorithm)
  const leaf = certify(authority, publicKey, purpose, HOSTNAME, NOW)
  expect(leaf.checkPrivateKey(privateKey)).toBe(true)
  expect(algorithmOf(leaf.publicKey)).toBe(algorithm)
  return leaf
}

/** What OpenSSL's own program says; throws with its words when it refuses. */
function verifyStrictly(
  leaf: X509Certificate,
  { intermediate, root }: Pick<Authority, 'intermediate' | 'root'>,
  name: string,
  ...more: string[]
): string {
  const folder = temporaryFolder()
  const files = { root, intermediate, leaf }
  const pathOf = (file: string): string => join(folder, `${file}.pem`)
  for (const [file, certificate] of Object.entries(files)) writeFileSync(pathOf(file), String(certificate))
  const check = /^[\d.]+$/.test(name) ? '-verify_ip' : '-verify_hostname'
  const strictly = ['verify', '-x509_strict', '-check_ss_sig', check, name, ...more]
  const chain = ['-CAfile', pathOf('root'), '-untrusted', pathOf('intermediate'), pathOf('leaf')]
  return execFileSync('openssl', [...strictly, ...chain], { encoding: 'utf8', stdio: 'pipe' })
}
