import { expect, test } from 'vitest'
import type { Publication } from './publication.ts'
import { createShelf, restore } from './shelf.ts'

const endpoint = {
  name: 'demo',
  hostname: 'a.example',
  evidence: { hostname: 'a.example', url: 'https://a.example/', caFile: undefined },
}

function publication(issuedAt: string, changes: Partial<Publication> = {}): Publication {
  return {
    bytes: Buffer.from(issuedAt),
    hostname: 'a.example',
    digest: 'sha256/AAAA' as Publication['digest'],
    issuedAt: new Date(issuedAt),
    tee: null,
    ...changes,
  }
}

test('the newest signed issuedAt wins, whatever the order of arrival', () => {
  const shelf = createShelf()
  const newer = publication('2026-01-01T00:01:00Z')
  expect(shelf.offer(endpoint, publication('2026-01-01T00:00:00Z'))).toBe(true)
  expect(shelf.offer(endpoint, newer)).toBe(true)
  expect(shelf.offer(endpoint, publication('2026-01-01T00:00:30Z'))).toBe(false)
  expect(shelf.offer(endpoint, publication('2026-01-01T00:01:00Z'))).toBe(false)
  expect(shelf.find('demo')).toBe(newer)
})

test('a bundle for another hostname replaces nothing', () => {
  const shelf = createShelf()
  expect(shelf.offer(endpoint, publication('2026-01-01T00:00:00Z', { hostname: 'b.example' }))).toBe(false)
  expect(shelf.find('demo')).toBeUndefined()
})

test('what was stored and cannot be read any more is left out, without an error', () => {
  const shelf = createShelf()
  restore(shelf, [endpoint], [{ endpoint: 'demo', bytes: Buffer.from('garbage') }])
  expect(shelf.find('demo')).toBeUndefined()
})

test.each([
  ['is there no more', []],
  ['has another hostname', [{ ...endpoint, hostname: 'b.example' }]],
])('of an endpoint that %s nothing is kept, and nothing comes that was under way', (_, endpoints) => {
  const shelf = createShelf()
  shelf.offer(endpoint, publication('2026-01-01T00:00:00Z'))
  shelf.keepOnly(endpoints)
  expect(shelf.find('demo')).toBeUndefined()
  expect(shelf.offer(endpoint, publication('2026-01-01T00:01:00Z'))).toBe(false)
})

test('an endpoint that stays keeps its bundle', () => {
  const shelf = createShelf()
  const kept = publication('2026-01-01T00:00:00Z')
  shelf.offer(endpoint, kept)
  shelf.keepOnly([endpoint])
  expect(shelf.find('demo')).toBe(kept)
})
