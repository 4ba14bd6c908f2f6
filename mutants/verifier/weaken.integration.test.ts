import { expect, test } from 'vitest'
import { readCorpus } from '../../conformance/vectors/corpus.ts'
import { runVectors } from '../../conformance/vectors/run.ts'
import { mutantOf, weakenedStages } from './stages.ts'
import { commandOf, killOf } from './weaken.ts'

const vectors = readCorpus()

test.concurrent.each(weakenedStages)(
  'without the checks of %s exactly those are admitted whose only fault lies there, and no other verdict changes',
  async (stage) => {
    const results = await runVectors({ command: commandOf(stage) })
    const mutant = mutantOf(stage, vectors)
    expect(mutant.expectKilledBy.length).toBeGreaterThan(5)
    expect(killOf(mutant, stage, results)).toEqual({ missed: [], beyond: [] })
    expect(results.counts).toMatchObject({
      wrongly_admitted: mutant.expectKilledBy.length,
      wrongly_refused: 0,
      error: 0,
    })
  },
)
