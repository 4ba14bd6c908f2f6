import { expect, test } from 'vitest'
import { runVectors } from '../../conformance/vectors/run.ts'
import { faults } from './faults.ts'
import { plantedCommandOf } from './weaken.ts'

/** Test files that the faults are spread over: files run at the same time, the tests of one file do not. */
const SHARDS = 4

/** What a fault of the hardware's checks can change at all: only there is hardware demanded. */
const OF_HARDWARE = { file: 'attestation/hardware/', grep: ['untrusted-root/'] }

/** Defines a test for every fourth fault, from `shard` on: exactly the expected vectors must be answered wrongly. */
export function testFaults(shard: number): void {
  test.each(faults.filter((_, index) => index % SHARDS === shard))(
    '$id is told by exactly the vectors that it is expected to be',
    async ({ id, file, expectKilledBy }) => {
      const grep = file.startsWith(OF_HARDWARE.file) ? OF_HARDWARE.grep : undefined
      const { vectors, counts } = await runVectors({ command: plantedCommandOf(id), grep })
      const killers = vectors.filter(({ verdict }) => verdict !== 'pass').map((one) => one.id)
      expect(killers.sort()).toEqual([...expectKilledBy].sort())
      expect(counts.error).toBe(0)
    },
  )
}
