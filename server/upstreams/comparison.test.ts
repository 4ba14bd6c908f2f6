import { expect, test } from 'vitest'
import type { Json } from '#attestation'
import { changesBetween } from '#egress/deployment/changes.ts'
import { compare, TooDifferent } from './comparison.ts'

const before = {
  resources: [
    { kind: 'Pod', name: 'a', image: 'x:1' },
    { kind: 'Pod', name: 'b' },
  ],
  ['__proto__']: 1,
}
const after = {
  resources: [
    { kind: 'Pod', name: 'b' },
    { kind: 'Pod', name: 'a', image: 'x:2' },
  ],
  constructor: [],
}

test('a thread finds the same steps, in the same order', async () => {
  const steps = await compare({ before, after } as { before: Json; after: Json })
  expect(steps).toEqual(changesBetween(before as Json, after as Json))
  expect(steps.length).toBeGreaterThan(2)
})

test('the event loop goes on while large snapshots are compared, and too much is given up', async () => {
  const items = Array.from({ length: 50_000 }, (_, index) => `item ${index}`)
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  try {
    const late = compare({ before: items, after: items.toReversed() }, 1)
    await expect(late).rejects.toThrow(TooDifferent)
    expect(turns).toBeGreaterThan(0)
  } finally {
    clearInterval(ticking)
  }
})
