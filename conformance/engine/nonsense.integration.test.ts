import { expect, test } from 'vitest'
import { isConformanceResults } from '#contract/validators/conformance-results'
import { toJUnit } from '../report/junit.ts'
import { toMarkdown } from '../report/markdown.ts'
import { describeRun } from '../report/results.ts'
import { describeSuite } from '../report/suite.ts'
import { summarize } from '../report/terminal.ts'
import { limits as deployed } from '../testing/deployment.ts'
import { arraign } from '../testing/guilty.ts'
import { nonsense } from '../testing/nonsense.ts'
import { discover } from './discover.ts'
import { createRedactor } from './redact.ts'
import { runSuite } from './suite.ts'
import type { Limits } from './target.ts'

/** Nothing that is waited for will ever come. */
const SLACK = 0.03
const SCENARIO_MS = 30_000
const limits = Object.fromEntries(
  Object.entries({ ...deployed, templateTokens: 1_024, tokensPerMinute: 2_000_000 }).map(([name, value]) => [
    name,
    name.endsWith('Ms') ? Math.min(value, 50) : value,
  ]),
) as Limits

// Nobody can get into another's way where nothing is done.
const changes = { waitsMs: () => 100, isExclusive: false }
const scenarios = (await discover()).map(({ scenario }) => ({ ...scenario, ...changes }))

test.each(Object.entries(nonsense))(
  'whoever answers with %s is reported on in full, and convicted',
  async (answer, serve) => {
    const guilty = await arraign(serve(), { slack: SLACK, limits })
    const { profiles } = guilty.bench.target
    const faults: unknown[] = []
    const outcomes = await runSuite({
      ...guilty.bench,
      isJudging: true,
      scenarios,
      profiles,
      jobs: 20,
      isSlow: true,
      scenarioMs: SCENARIO_MS,
      onFault: (thrown) => faults.push(thrown),
    }).finally(guilty.stop)
    const results = describeRun(
      {
        target: guilty.bench.target,
        profiles,
        outcomes,
        startedAt: new Date(),
        durationMs: 1,
        suite: describeSuite(scenarios.length),
        selection: { grep: [], rules: [], origin: null, slow: true, seed: 1, jobs: 20 },
        faults,
      },
      createRedactor(),
    )
    isConformanceResults(results)
    expect(isConformanceResults.errors ?? []).toEqual([])
    const own = results.scenarios.filter(({ verdict }) => verdict === 'error')
    expect(own.map(({ id, subject, problems }) => [id, subject, ...problems])).toEqual([])
    expect(results.faults).toEqual([])
    const unended = results.scenarios.filter(({ problems }) =>
      problems.some((problem) => problem.includes('did not end within')),
    )
    // Who never answers is convicted by the first answer that does not come.
    if (answer === 'nothing') expect(unended.map(({ id }) => id)).toEqual([])
    const runs = scenarios.flatMap(({ id, subjects }) => subjects.map((subject) => `${id} ${subject}`))
    expect(results.scenarios.map(({ id, subject }) => `${id} ${subject}`)).toEqual(runs)
    expect(results.profiles.map(({ verdict }) => verdict)).toEqual(profiles.map(() => 'failing'))
    expect(toJUnit(results).length).toBeGreaterThan(1_000)
    expect(toMarkdown(results).length).toBeGreaterThan(1_000)
    expect(summarize(results)).toContain('router: FAILING')
  },
)
