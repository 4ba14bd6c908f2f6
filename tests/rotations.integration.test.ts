import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMatrix } from './rotations/matrix.ts'
import { breaches } from './rotations/report.ts'
import { startWorld, type World } from './rotations/world.ts'

// `npm run rotations` is the whole matrix under 50 streams; this is its short form.
const CLIENTS = 8
const CELL_MS = 600
const LONG_GAP_MS = 60

let world: World

beforeAll(async () => {
  world = await startWorld(LONG_GAP_MS)
})

afterAll(() => world.stop())

test.each([
  ['TLS leaf', 'split'],
  ['root overlap', 'split'],
  ['digest', 'split'],
  ['hostname move', 'split'],
  ['TLS leaf', 'split 3 s'],
  ['hostname move', 'split 3 s'],
  ['TLS leaf', 'split 10 s'],
])(
  'a rotation of the %s, %s, loses no request, repeats none and is verified once (V-01)',
  async (name, how) => {
    const only = (rotation: { readonly name: string }, when: string) => rotation.name === name && when === how
    const cells = await runMatrix(world, { clients: CLIENTS, cellMs: CELL_MS, only })
    // So few requests do not make a share.
    expect(breaches(cells).filter((breach) => !breach.startsWith('Only'))).toEqual([])
    expect(cells).toEqual([expect.objectContaining({ passed: 1 })])
    expect(cells[0]!.attesting).toBeLessThanOrEqual(CLIENTS)
    // In place of a 503 each request has waited, and healed.
    expect(cells[0]!.fingerprint).toBe(0)
  },
)
