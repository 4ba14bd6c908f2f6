import { expect, test } from 'vitest'
import { runVectors } from '../../conformance/vectors/run.ts'
import { faults } from './faults.ts'
import { plantedCommandOf } from './weaken.ts'

/** Test files that the faults are spread over: files run at the same time, the tests of one file do not. */
const SHARDS = 4

/** Defines a test for every fourth fault, from `shard` on: exactly the expected vectors must be answered wrongly. */
export function testFaults(shard: number): void {
  test.each(faults.filter((_, index) => index % SHARDS === shard))(
    '$id is told by exactly the vectors that it is expected to be',
    async ({ id, expectKilledBy }) => {
      const { vectors, counts } = await runVectors({ command: plantedCommandOf(id) })
      const killers = vectors.filter(({ verdict }) => verdict !== 'pass').map((one) => one.id)
      expect(killers.sort()).toEqual([...expectKilledBy].sort())
      expect(counts.error).toBe(0)
    },
  )
}
