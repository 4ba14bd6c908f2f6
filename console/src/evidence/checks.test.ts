import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { bundleOf, bundleOver, snapshot } from '../../testing/bundle.ts'
import { checksOf } from './checks.ts'
import { BundleError, readBundle } from './read.ts'

const published = bundleOf(snapshot(1), '2026-03-01T12:00:00Z')
const etag = `"${createHash('sha256').update(published.bytes).digest('hex')}"`

function changed(change: (bundle: Record<string, unknown>) => void): Uint8Array<ArrayBuffer> {
  const bundle = JSON.parse(new TextDecoder().decode(published.bytes))
  change(bundle)
  return new TextEncoder().encode(JSON.stringify(bundle))
}

const failed = async (bytes: Uint8Array<ArrayBuffer>) =>
  checksOf(await readBundle(bytes), { listed: published.digest, etag })
    .filter(({ isEqual }) => !isEqual)
    .map(({ id }) => id)

test('the digests of a bundle as it was published are computed anew, and all agree', async () => {
  const bundle = await readBundle(published.bytes)
  expect(bundle.snapshotDigest).toBe(published.digest)
  expect(await failed(published.bytes)).toEqual([])
})

test('a snapshot that was signed as its own text agrees too, and what was signed otherwise does not', async () => {
  const outcome = async (spelled: string, digested: string) => {
    const { bytes, digest } = bundleOver(spelled, digested, '2026-03-01T12:00:00Z')
    const checks = checksOf(await readBundle(bytes), { listed: digest })
    return checks.filter(({ isEqual }) => !isEqual).map(({ id }) => id)
  }
  expect(await outcome('{"b": 1.0, "10": 2, "9": 3}', '{"b":1.0,"10":2,"9":3}')).toEqual([])
  expect(await outcome('{"b": 1.0}', '{"b": 1.0}')).toEqual(['snapshot', 'listed'])
  // The page would show one of the two, and call it what was signed.
  expect(await outcome('{"a": 1, "a": 2}', '{"a":1,"a":2}')).toEqual(['snapshot', 'listed'])
})

test('a byte that was changed on the way shows in the digest of the bytes', async () => {
  expect(await failed(changed(() => undefined))).toEqual(['bytes'])
})

test('a snapshot that is not the signed one shows in its digest', async () => {
  const forged = bundleOf(snapshot(2), '2026-03-01T12:00:00Z')
  const bytes = changed((bundle) => {
    const [header, payload = '', signature] = String(bundle.jws).split('.')
    const signed = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const other = JSON.parse(new TextDecoder().decode(forged.bytes)).jws.split('.')[1]
    signed.evidence = JSON.parse(Buffer.from(other, 'base64url').toString()).evidence
    bundle.jws = [header, Buffer.from(JSON.stringify(signed)).toString('base64url'), signature].join('.')
  })
  expect(await failed(bytes)).toEqual(['snapshot', 'listed', 'bytes'])
})

test('an envelope that says something else than what was signed shows', async () => {
  expect(await failed(changed((bundle) => Object.assign(bundle, { hostname: 'evil.example' })))).toEqual([
    'bytes',
    'copies',
  ])
})

test('a certificate that was not signed for shows', async () => {
  const bytes = changed((bundle) =>
    Object.assign(bundle, { tlsLeaf: Buffer.from('other').toString('base64') }),
  )
  expect(await failed(bytes)).toEqual(['bytes', 'leaf'])
})

test.each([
  ['no JSON', new TextEncoder().encode('<html>')],
  ['a list', new TextEncoder().encode('[]')],
  ['without a signature', changed((bundle) => Object.assign(bundle, { jws: 7 }))],
  ['with a payload that is none', changed((bundle) => Object.assign(bundle, { jws: 'a.!!.c' }))],
  ['with a number beyond all', bundleOver('[1e999]', '[1e999]', '2026-03-01T12:00:00Z').bytes],
  ['with a certificate that is none', changed((bundle) => Object.assign(bundle, { tlsLeaf: '%%' }))],
])('a bundle that is %s is not read', async (_, bytes) => {
  await expect(readBundle(bytes)).rejects.toThrow(BundleError)
})
