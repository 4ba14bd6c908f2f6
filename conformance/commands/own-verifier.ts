import type { Vector, VectorResult } from '#contract/models'
import { failed, notRun, type Outcome } from '../engine/outcome.ts'
import { define, type Scenario } from '../engine/scenario.ts'
import type { Target } from '../engine/target.ts'
import { readCorpus } from '../vectors/corpus.ts'
import { runVectors } from '../vectors/run.ts'
import { type Selection, select } from './select.ts'

/**
 * Puts the vectors that are wanted to the verifier that the target claims to be the proxy's own; what it answers is what
 * the proxy would. Nothing is asked of one that is not. Rejects when it does not say what it can do.
 */
export async function askOwnVerifier(
  { verifier }: Target,
  selection: Selection,
): Promise<readonly Outcome[]> {
  if (!verifier?.sameProduct) return []
  const wanted = select(
    readCorpus().map((vector) => ({ vector, scenario: scenarioOf(vector) })),
    selection,
  )
  if (wanted.length === 0) return []
  const { vectors } = await runVectors({ command: verifier.command })
  const results = new Map(vectors.map((result) => [result.id, result]))
  return wanted.map(({ vector, scenario }) => outcomeOf(results.get(vector.id)!, scenario))
}

/** A vector in the place of a scenario: it has been run by then. */
function scenarioOf({ id, title, rules }: Vector): Scenario {
  return define(`verifier/${id}`, {
    rules: rules as Scenario['rules'],
    title,
    subjects: ['proxy'],
    isCompared: false,
    run: async () => {},
  })
}

function outcomeOf({ verdict, expected, actual }: VectorResult, scenario: Scenario): Outcome {
  const { rules } = scenario
  if (verdict === 'not-supported') return notRun(scenario, 'proxy', verdict, actual)
  if (verdict === 'error') return failed(scenario, 'proxy', new Error(actual))
  const problem = `the verifier is expected to ${expected}; it answered ${actual}`
  const isRight = verdict === 'pass'
  return {
    scenario,
    subject: 'proxy',
    verdict: isRight ? 'pass' : 'fail',
    shown: {
      held: new Map(isRight ? rules.map((rule) => [rule, 1]) : []),
      broken: isRight ? [] : [{ rules, problem }],
    },
    problems: isRight ? [] : [problem],
    exchanges: [],
    durationMs: 0,
  }
}
