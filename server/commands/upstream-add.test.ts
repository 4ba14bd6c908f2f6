import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseRoots } from '#attestation'
import { ConfigError } from '../../config/error.ts'
import { createIdentity } from '../../egress/testing/identity.ts'
import { readUpstream } from './upstream-add.ts'
import { UsageError } from './usage.ts'

const folder = mkdtempSync(join(tmpdir(), 'upstream-add-'))
const root = join(folder, 'root.pem')
const { pem } = createIdentity()
writeFileSync(root, pem)
const usual = { config: 'router.yaml', url: 'https://vendor.example/v1', root: [root], leafName: true }

afterAll(() => rmSync(folder, { recursive: true }))

test('of a file with a root only the certificate is kept, and not the private key beside it', () => {
  const { roots } = readUpstream('vendor', { ...usual, root: [root, root] })
  expect(pem).toContain('PRIVATE KEY')
  expect(roots).not.toContain('PRIVATE KEY')
  expect(parseRoots(roots)).toEqual([...parseRoots(pem), ...parseRoots(pem)])
})

test('what is demanded of hardware is read from a file, every mistake at once', () => {
  const file = join(folder, 'guests.yaml')
  const register = 'ab'.repeat(48)
  const guest = { tee: 'tdx', mrtd: register, rtmr1: register, rtmr2: register }
  writeFileSync(file, JSON.stringify({ measurements: [guest] }))
  expect(readUpstream('vendor', { ...usual, attested: file }).attested).toEqual([guest])
  expect(readUpstream('vendor', usual).attested).toBeUndefined()
  writeFileSync(file, JSON.stringify({ measurements: [{ ...guest, rtmr1: 'AB' }], vendors: [] }))
  expect(() => readUpstream('vendor', { ...usual, attested: file })).toThrow(ConfigError)
})

test.each([
  ['is not https', 'http://vendor.example/v1'],
  ['does not end in /v1', 'https://vendor.example/v1/chat'],
  ['has a query', 'https://vendor.example/v1?key=secret'],
  ['only has /v1 in its query', 'https://vendor.example/?to=/v1'],
  ['has a fragment', 'https://vendor.example/v1#part'],
  ['holds a password', 'https://user:secret@vendor.example/v1'],
])('an address that %s is refused', (_, url) => {
  expect(() => readUpstream('vendor', { ...usual, url })).toThrow(UsageError)
})

test('the hostname is that of the address unless another one is named', () => {
  expect(readUpstream('vendor', { ...usual, url: 'https://[::1]:8443/v1/' })).toMatchObject({
    url: 'https://[::1]:8443/v1',
    hostname: '::1',
  })
  expect(readUpstream('vendor', { ...usual, hostname: 'Vendor.Example' }).hostname).toBe('vendor.example')
})
