import { expect, test } from 'vitest'
import lock from './portkey/package-lock.json' with { type: 'json' }

/** What a lockfile says of a package, as far as it is used here. */
interface Locked {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
}

test('the peer from npm is locked with a hash for every package', () => {
  const packages = Object.entries<Locked>(lock.packages).filter(([place]) => place !== '')
  expect(packages.length).toBeGreaterThan(10)
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  const versionOf = (name: string) =>
    packages.find(([place]) => place === `node_modules/${name}`)?.[1].version
  expect(versionOf('@portkey-ai/gateway')).toBe('1.15.2')
  expect(versionOf('hono')).toBe('4.9.7')
})
