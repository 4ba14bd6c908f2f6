import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf, type Json } from '#attestation'
import { applyEdits } from '../testing/apply-edits.ts'
import { snapshotPair } from '../testing/arbitrary-snapshot.ts'
import { editsBetween } from './edits.ts'

test('the steps between two snapshots make the second of the first, whatever they are', () => {
  fc.assert(
    fc.property(snapshotPair, ([before, after]) => {
      expect(canonicalize(applyEdits(before, editsBetween(before, after)))).toBe(canonicalize(after))
    }),
    { numRuns: 2_000 },
  )
})

test('two snapshots of different digests are never without a step between them', () => {
  fc.assert(
    fc.property(snapshotPair, ([before, after]) => {
      const isSame = digestOf(canonicalize(before) ?? '') === digestOf(canonicalize(after) ?? '')
      expect(editsBetween(before, after).length === 0).toBe(isSame)
    }),
    { numRuns: 2_000 },
  )
})

test.each<[string, Json, Json, object[]]>([
  ['the order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['two numbers of one value', [1e2, -0], [100, 0], []],
  [
    'items that change places',
    [{ name: 'lock-down' }, { name: 'fetch' }, { name: 'serve' }],
    [{ name: 'fetch' }, { name: 'serve' }, { name: 'lock-down' }],
    [{ op: 'move', path: [0], to: 2 }],
  ],
  [
    'an item that changes and moves',
    [{ name: 'a', v: 1 }, { name: 'b' }],
    [{ name: 'b' }, { name: 'a', v: 2 }],
    [
      { op: 'move', path: [1], to: 0 },
      { op: 'set', path: [1, 'v'], before: 1, after: 2 },
    ],
  ],
  ['a word of a command', ['sh', '-c', 'a'], ['sh', '-c', 'b'], [{ op: 'set', path: [2] }]],
  [
    'one of two of one name',
    [
      { name: 'a', v: 1 },
      { name: 'a', v: 2 },
    ],
    [{ name: 'a', v: 2 }],
    [{ op: 'delete', path: [0] }],
  ],
  ['a member that is null', { a: null }, {}, [{ op: 'remove', path: ['a'], before: null }]],
  ['a list for an object', { a: [1] }, { a: { '0': 1 } }, [{ op: 'set', path: ['a'] }]],
])('%s: exactly these steps', (_, before, after, expected) => {
  expect(editsBetween(before, after)).toMatchObject(expected)
  expect(editsBetween(before, after)).toHaveLength(expected.length)
})

test('many thousand items in another order are told, where the square of them would take minutes', () => {
  const items = Array.from({ length: 150_000 }, (_, index) => index)
  expect(editsBetween(items, items.toReversed())).toHaveLength(299_998)
})
