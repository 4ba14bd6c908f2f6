import { randomInt } from 'node:crypto'
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { UsageError } from '#base/command.ts'
import { visibleJson } from '#base/foreign-text.ts'
import { complain } from '#base/print.ts'
import { messageOf } from '#base/thrown.ts'
import type { ConformanceResults } from '#contract/models'
import { expectationOf } from '../engine/announced.ts'
import { discover } from '../engine/discover.ts'
import { createHooks, type Hooks } from '../engine/hooks.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { Redactor } from '../engine/redact.ts'
import type { Scenario } from '../engine/scenario.ts'
import { runSuite } from '../engine/suite.ts'
import { loadTarget, type Subject, type Target } from '../engine/target.ts'
import { Interrupted } from '../engine/thrown.ts'
import { failsOf } from '../engine/verdict.ts'
import { STOPPED } from '../report/faults.ts'
import { toHtml } from '../report/html/page.ts'
import { toJUnit } from '../report/junit.ts'
import { toMarkdown } from '../report/markdown.ts'
import { describeRun } from '../report/results.ts'
import { describeSuite } from '../report/suite.ts'
import { createProgress, summarize } from '../report/terminal.ts'
import { EXIT, exitCodeOf } from './exit.ts'
import { askOwnVerifier } from './own-verifier.ts'
import { mismatchOf } from './preflight.ts'
import { unreachable } from './reach.ts'
import { redactorOf } from './secrets.ts'
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
  const { reportDir } = options
  if (reportDir !== undefined) makeFolder(reportDir)
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
  const redactor = redactorOf(target)
  const { seed = randomInt(MAX_SEED) } = options
  const hooks = createHooks(target.hooks)
  const mismatch = await mismatchOf({ target, hooks, scenarios, seed, tellSecret: redactor.add })
  if (mismatch !== undefined) return stop(EXIT.error, `Nothing was judged. ${redactor.redact(mismatch)}`)
  const order = { options: { ...options, seed }, target, profiles, scenarios, size: all.length }
  const results = await judge(order, redactor, hooks)
  const code = exitCodeOf(results)
  // Whoever reads the reports hears of it even if they cannot be written.
  process.exitCode = EXIT.error
  const why = reportDir === undefined ? undefined : whyUnwritten(reportDir, results)
  if (options.json) process.stdout.write(`${visibleJson(JSON.stringify(results, null, 2))}\n`)
  else process.stdout.write(`${summarize(results)}${why === undefined ? whereToRead(reportDir) : ''}`)
  if (why !== undefined) return complain(`The reports are not written: ${why}`)
  process.exitCode = code
}

/** The last line: where all of it can be read. */
function whereToRead(reportDir: string | undefined): string {
  if (reportDir === undefined)
    return '\nWith --report-dir DIR every rule and all that was said is written down.\n'
  return `\nAll of it: open ${join(reportDir, 'report.html')}\n`
}

interface Order {
  readonly options: RunOptions & { readonly seed: number }
  readonly target: Target
  readonly profiles: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly size: number
}

async function judge(
  { options, target, profiles, scenarios, size }: Order,
  redactor: Redactor,
  hooks: Hooks,
): Promise<ConformanceResults> {
  const { jobs, seed, slow = false, grep = [], rule = [], origin = null } = options
  const total = profiles.flatMap((profile) =>
    scenarios.filter(({ subjects }) => subjects.includes(profile)),
  ).length
  const claims = origin === null ? target.claims : [origin]
  const whyIdle = (outcome: Outcome) => {
    if (failsOf(outcome, target).some((one) => claims.includes(one))) return undefined
    return expectationOf(outcome, target.expectedFailures) === 'failed'
      ? 'as announced'
      : 'which decides nothing'
  }
  const progress = createProgress(process.stderr, total, whyIdle)
  process.stderr.write(`${total} runs of ${scenarios.length} scenarios, seed ${seed}\n`)
  // Asked at the end it would be the commit that somebody made meanwhile.
  const suite = describeSuite(size)
  const startedAt = new Date()
  const startedMs = performance.now()
  const faults: unknown[] = []
  const interruption = heedSignals()
  const outcomes = await runSuite({
    scenarios,
    target,
    profiles,
    jobs,
    seed,
    isSlow: slow,
    isJudging: true,
    stopped: interruption.signal,
    hooks,
    tellSecret: redactor.add,
    // Once it is asked to end, what had not ended is told in one line.
    onOutcome: (outcome) => {
      if (!interruption.signal.aborted) progress.outcome(outcome, redactor.redact)
    },
    onFault: (thrown) => faults.push(thrown),
  })
  const asked = profiles.includes('proxy')
    ? await askOwnVerifier(target, options).catch((thrown: unknown) => void faults.push(thrown))
    : undefined
  interruption.end()
  if (interruption.signal.aborted) faults.push(interruption.signal.reason)
  progress.end()
  const durationMs = performance.now() - startedMs
  const selection = { grep: [...grep], rules: [...rule], origin, slow, seed, jobs }
  const all = [...outcomes, ...(asked ?? [])]
  const run = { target, profiles, outcomes: all, startedAt, durationMs, suite, selection, faults }
  return describeRun(run, redactor)
}

/** Asked to end, a run reports what it has; asked again, it ends. */
function heedSignals(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const stop = (name: string) => controller.abort(new Interrupted(`${STOPPED} ${name}`))
  for (const name of SIGNALS) process.once(name, stop)
  const end = () => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  return { signal: controller.signal, end }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Seeds stay short enough to be typed (ours). */
const MAX_SEED = 1_000_000

function profilesOf(profile: RunOptions['profile'], { profiles }: Target): readonly Subject[] {
  return profile === 'all' ? profiles : profiles.filter((one) => one === profile)
}

/** Before anything is judged: a folder that cannot be written to is a mistake of whoever runs this. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    throw new UsageError(`No report can be written to ${folder}: ${messageOf(cause)}`, { cause })
  }
}

/** Writes the reports; what was judged is told all the same where the disk does not take them. */
function whyUnwritten(folder: string, results: ConformanceResults): string | undefined {
  try {
    writeReports(folder, results)
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function writeReports(folder: string, results: ConformanceResults): void {
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(folder, 'report.md'), toMarkdown(results))
  writeFileSync(join(folder, 'report.html'), toHtml(results))
  writeFileSync(join(folder, 'junit.xml'), toJUnit(results))
}

function stop(code: number, message: string): void {
  complain(message)
  process.exitCode = code
}
