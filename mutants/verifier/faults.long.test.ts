import { expect, test } from 'vitest'
import { runVectors } from '../../conformance/vectors/run.ts'
import { faults } from './faults.ts'
import { plantedCommandOf } from './weaken.ts'

test.each(faults)(
  '$id is told by exactly the vectors that it is expected to be',
  async ({ id, expectKilledBy }) => {
    const { vectors, counts } = await runVectors({ command: plantedCommandOf(id) })
    const killers = vectors.filter(({ verdict }) => verdict !== 'pass').map((one) => one.id)
    expect(killers.sort()).toEqual([...expectKilledBy].sort())
    expect(counts.error).toBe(0)
  },
  60_000,
)
