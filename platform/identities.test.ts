import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Identities, type IdentityOptions, openIdentities } from './identities.ts'
import { HOSTNAME, temporaryFolder } from './test-support.ts'
import { openVault } from './vault.ts'

const NOW = new Date('2026-01-01T00:00:00Z')

test('A second start finds the root, the signer and the leaf of the first', async () => {
  const folder = temporaryFolder()
  const first = await open(folder)
  const signer = await first.renew('signing', 'ES256K')
  const leaf = await first.renew('tls', 'ES256')
  const second = await open(folder)
  expect(second.root.raw).toEqual(first.root.raw)
  expect(serials(second, 'ES256K')).toEqual([signer.chain[0]!.serialNumber, leaf.chain[0]!.serialNumber])
  expect(second.current('signing', 'ES256K')?.privateKey.equals(signer.privateKey)).toBe(true)
})

test('Nobody else may read a key, and everybody may read the root', async () => {
  const folder = temporaryFolder()
  const identities = await open(folder)
  await identities.renew('signing', 'RS256')
  await identities.renew('tls', 'ES256')
  const mode = (name: string): number => statSync(join(folder, name)).mode & 0o777
  expect(['authority.pem', 'signer.pem', 'tls.pem'].map(mode)).toEqual([0o600, 0o600, 0o600])
  expect(mode('root.pem')).toBe(0o644)
})

test.each([
  ['another hostname', { hostname: 'other.test' }, [undefined, undefined]],
  ['a time shortly before the end', { now: () => new Date('2026-12-20T00:00:00Z') }, [undefined, undefined]],
  [
    'a clock that was ahead and is right again',
    { now: () => new Date('2025-12-01T00:00:00Z') },
    [undefined, undefined],
  ],
])('For %s new keys are issued below the same root', async (_, changes, expected) => {
  const folder = temporaryFolder()
  const first = await open(folder)
  await first.renew('signing', 'ES256')
  await first.renew('tls', 'ES256')
  const second = await open(folder, changes)
  expect(serials(second, 'ES256')).toEqual(expected)
  expect(second.root.raw).toEqual(first.root.raw)
})

test('A signer of another algorithm is not used', async () => {
  const identities = await open(temporaryFolder())
  await identities.renew('signing', 'ES256')
  expect(identities.current('signing', 'ES384')).toBeUndefined()
})

test('A signer below another root is not used', async () => {
  const folder = temporaryFolder()
  await (await open(folder)).renew('signing', 'ES256')
  const { writeSecret } = openVault(folder)
  const other = temporaryFolder()
  await open(other)
  writeSecret('authority.pem', openVault(other).read('authority.pem')!)
  expect((await open(folder)).current('signing', 'ES256')).toBeUndefined()
})

test('A root is never changed: other hardware needs another folder', async () => {
  const folder = temporaryFolder()
  await open(folder)
  await expect(open(folder, { hardware: 'AMD SEV-SNP (Azure)' })).rejects.toThrow('another data folder')
})

test('A damaged file is named and never replaced', async () => {
  const folder = temporaryFolder()
  await open(folder)
  writeFileSync(join(folder, 'authority.pem'), 'nothing')
  await expect(open(folder)).rejects.toThrow(/authority\.pem is damaged/)
  expect(openVault(folder).read('authority.pem')).toBe('nothing')
})

function open(folder: string, changes: Partial<IdentityOptions> = {}): Promise<Identities> {
  const options = { hostname: HOSTNAME, hardware: 'Intel TDX (QEMU)', now: () => NOW } as const
  return openIdentities(openVault(folder), { ...options, ...changes })
}

function serials(identities: Identities, algorithm: 'ES256' | 'ES256K'): (string | undefined)[] {
  return [identities.current('signing', algorithm), identities.current('tls', 'ES256')].map(
    (identity) => identity?.chain[0]?.serialNumber,
  )
}
