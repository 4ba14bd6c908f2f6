import { expect, test, vi } from 'vitest'
import { openIdentities } from './identities.ts'
import { createPlatform, fingerprintOf, type Platform } from './platform.ts'
import { createIssueTimes } from './signing/issue-times.ts'
import type { Simulation } from './simulation/simulation.ts'
import { HOSTNAME, RESOURCES, silentLog, temporaryFolder } from './test-support.ts'
import { openVault } from './vault.ts'

test('A new leaf is presented in the instant in which the bundle that names it is published', async () => {
  const platform = await createTestPlatform()
  const seen: string[] = []
  platform.onLeaf((leaf) => {
    expect(platform.publication.certFingerprint).toBe(fingerprintOf(leaf))
    seen.push(fingerprintOf(leaf))
  })
  const first = platform.publication
  await platform.rotateLeaf('now')
  expect(seen).toEqual([first.certFingerprint, platform.publication.certFingerprint])
  expect(platform.publicationFor(first.certFingerprint)).toBe(first)
})

test('Until a change is published, everything is as it was', async () => {
  const platform = await createTestPlatform()
  const { publication, standing } = platform
  const present = vi.fn()
  platform.onLeaf(present)
  const changed = platform.rotateLeaf('now')
  await Promise.resolve()
  expect(platform).toMatchObject({ publication, standing })
  expect(present).toHaveBeenCalledOnce()
  await changed
  expect(platform.publication).not.toBe(publication)
})

test('Changes that are asked for together are made one by one and none is lost', async () => {
  const platform = await createTestPlatform()
  const before = platform.standing
  const add = (name: string) => platform.rotateDeployment('now', (all) => [...all, { kind: 'Ingress', name }])
  await Promise.all([add('a'), platform.rotateLeaf('now'), add('b'), platform.rotateSigner('now', 'ES384')])
  const { standing, publication } = platform
  expect(standing.resources).toHaveLength(RESOURCES.length + 2)
  expect(standing.algorithm).toBe('ES384')
  expect(standing.leaf).not.toBe(before.leaf)
  expect(publication).toMatchObject({
    evidenceDigest: standing.snapshot.digest,
    certFingerprint: fingerprintOf(standing.leaf),
  })
})

test('Once settled, nothing that was asked for before changes the bundle any more', async () => {
  const platform = await createTestPlatform()
  const changes = [platform.resign(), platform.rotateLeaf('now'), platform.resign()]
  await platform.settled()
  const { publication } = platform
  await Promise.all(changes)
  expect(platform.publication).toBe(publication)
})

test('A change that fails leaves everything as it was and does not stop the next one', async () => {
  const platform = await createTestPlatform()
  const { publication, standing } = platform
  const huge = [{ kind: 'ConfigMap', data: 'x'.repeat(1024 * 1024) }]
  await expect(platform.rotateDeployment('now', () => huge)).rejects.toThrow('too large')
  expect(platform).toMatchObject({ publication, standing })
  await platform.resign()
  expect(platform.publication.evidenceDigest).toBe(publication.evidenceDigest)
})

test('Each bundle is issued later than the one before, however fast they follow', async () => {
  const platform = await createTestPlatform()
  const times: number[] = [platform.publication.issuedAt.getTime()]
  for (let turn = 0; turn < 5; turn += 1) {
    await platform.resign()
    times.push(platform.publication.issuedAt.getTime())
  }
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
})

test('Where hardware is played, the quote is about the root that vouches for the signature', async () => {
  const quotes: string[] = []
  const platform = await createTestPlatform({
    vendor: [],
    quoteOf: (root, at) => {
      quotes.push(root.fingerprint256)
      const data = root.fingerprint256
      return { status: 'simulated', format: 'amd-sev-snp-report', data, collateral: { at: at.toISOString() } }
    },
  })
  const rootOf = ({ standing }: Platform) => standing.signer.chain.at(-1)!
  const first = rootOf(platform)
  await platform.rotateRoot('now')
  const second = rootOf(platform)
  expect(quotes).toEqual([first.fingerprint256, second.fingerprint256])
  expect(first.fingerprint256).not.toBe(second.fingerprint256)
  const { issuedAt, bytes } = platform.publication
  expect(JSON.parse(bytes.toString()).rootCaTeeQuote).toEqual({
    status: 'simulated',
    format: 'amd-sev-snp-report',
    data: second.fingerprint256,
    collateral: { at: issuedAt.toISOString() },
  })
})

async function createTestPlatform(simulation?: Simulation): Promise<Platform> {
  const vault = openVault(temporaryFolder())
  // The clock stands still, which no signing time may show.
  const now = () => new Date('2026-01-01T00:00:00Z')
  const options = { hostname: HOSTNAME, hardware: 'Intel TDX (QEMU)', now } as const
  return createPlatform({
    hostname: HOSTNAME,
    algorithm: 'ES256',
    resources: RESOURCES,
    identities: await openIdentities(vault, options),
    issueTimes: createIssueTimes(vault, now, silentLog),
    simulation,
    log: silentLog,
  })
}
