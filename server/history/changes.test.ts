import { expect, test } from 'vitest'
import type { Queryable } from '../store/connection.ts'
import { readChanges } from './changes.ts'

const WORKSPACES = 100
const RUNNING = 10

test('what a look costs grows with what it has read, and not with that times those who are watched', async () => {
  const ids = Array.from({ length: WORKSPACES }, (_, index) => `ws_${index}`)
  let looks = 0
  const rows = ids.flatMap((id) =>
    Array.from({ length: RUNNING }, (_, index) => ({
      get workspace_id() {
        looks++
        return id
      },
      id: `${id}-${index}`,
      number: null,
      latency_ms: null,
    })),
  )
  const workspaces = ids.map((id) => ({ id, balance_micros: 0n, held_micros: 0n, ledger_entries: 0n }))
  const answers = [workspaces, rows]
  const snapshot = Object.assign(
    (first: unknown) => Promise.resolve(isStatement(first) ? answers.shift() : []),
    {
      typed: () => [],
    },
  ) as unknown as Queryable
  const changes = await readChanges(
    snapshot,
    ids.map((workspaceId) => ({ workspaceId, number: 0n })),
  )
  expect([...changes.values()].map(({ running }) => running.length)).toEqual(ids.map(() => RUNNING))
  expect(changes.get('ws_7')?.running[3]?.id).toBe('ws_7-3')
  expect(looks).toBeLessThanOrEqual(2 * rows.length)
})

function isStatement(first: unknown): boolean {
  return typeof first === 'object' && first !== null && 'raw' in first
}
