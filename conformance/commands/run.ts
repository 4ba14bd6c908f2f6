import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { visibleJson } from '#base/foreign-text.ts'
import { complain } from '#base/print.ts'
import type { ConformanceResults } from '#contract/models'
import { discover } from '../engine/discover.ts'
import { createHooks } from '../engine/hooks.ts'
import { createRedactor } from '../engine/redact.ts'
import type { Scenario } from '../engine/scenario.ts'
import { runSuite } from '../engine/suite.ts'
import { loadTarget, type Subject, type Target } from '../engine/target.ts'
import { suiteVersion } from '../lock/lock.ts'
import { toJUnit } from '../report/junit.ts'
import { describeRun } from '../report/results.ts'
import { createProgress, summarize } from '../report/terminal.ts'
import { EXIT, exitCodeOf } from './exit.ts'
import { unreachable } from './reach.ts'
import { type Selection, select } from './select.ts'

/** What `conformance run` takes. */
export interface RunOptions extends Selection {
  readonly target: string
  readonly profile: Subject | 'verifier' | 'all'
  readonly jobs: number
  readonly seed?: number
  readonly slow?: true
  readonly reportDir?: string
  readonly json?: true
}

/** `conformance run`: judges a product, tells a person, writes the reports. */
export async function run(options: RunOptions): Promise<void> {
  const target = loadTarget(options.target, process.env)
  const claimed = profilesOf(options.profile, target)
  if (claimed.length === 0) return stop(EXIT.usage, `The target file names no profile ${options.profile}.`)
  for (const subject of claimed) {
    const url = await unreachable(subject, target)
    if (url !== undefined) return stop(EXIT.error, `Nothing answers at ${url}.`)
  }
  const all = await discover()
  const scenarios = select(all, options).map(({ scenario }) => scenario)
  const profiles = claimed.filter((one) => scenarios.some(({ subjects }) => subjects.includes(one)))
  if (profiles.length === 0) return stop(EXIT.usage, 'No scenario is selected.')
  const results = await judge({ options, target, profiles, scenarios, size: all.length })
  if (options.reportDir !== undefined) writeReports(options.reportDir, results)
  if (options.json) process.stdout.write(`${visibleJson(JSON.stringify(results, null, 2))}\n`)
  else process.stdout.write(summarize(results))
  process.exitCode = exitCodeOf(results)
}

interface Order {
  readonly options: RunOptions
  readonly target: Target
  readonly profiles: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly size: number
}

async function judge({ options, target, profiles, scenarios, size }: Order): Promise<ConformanceResults> {
  const { jobs, seed = randomInt(MAX_SEED), slow = false, grep = null, origin = null } = options
  const redactor = createRedactor(Object.values(target.keys))
  const total = profiles.flatMap((profile) =>
    scenarios.filter(({ subjects }) => subjects.includes(profile)),
  ).length
  const progress = createProgress(process.stderr, total)
  process.stderr.write(`${total} runs of ${scenarios.length} scenarios, seed ${seed}\n`)
  const startedAt = new Date()
  const startedMs = performance.now()
  const outcomes = await runSuite({
    scenarios,
    target,
    profiles,
    jobs,
    seed,
    isSlow: slow,
    isJudging: true,
    hooks: createHooks(target.hooks),
    tellSecret: redactor.add,
    onOutcome: (outcome) => progress.outcome(outcome, redactor.redact),
  })
  progress.end()
  const durationMs = performance.now() - startedMs
  const suite = { version: suiteVersion, scenarios: size }
  const selection = { grep, origin, slow, seed, jobs }
  return describeRun({ target, profiles, outcomes, startedAt, durationMs, suite, selection }, redactor)
}

/** Seeds stay short enough to be typed (ours). */
const MAX_SEED = 1_000_000

function profilesOf(profile: RunOptions['profile'], { profiles }: Target): readonly Subject[] {
  return profile === 'all' ? profiles : profiles.filter((one) => one === profile)
}

function writeReports(folder: string, results: ConformanceResults): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(folder, 'junit.xml'), toJUnit(results))
}

function stop(code: number, message: string): void {
  complain(message)
  process.exitCode = code
}
