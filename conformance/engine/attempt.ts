import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ScenarioVerdict } from '#contract/models'
import { createAccounts } from './accounts.ts'
import { addressOf } from './address.ts'
import { openBackend, type Received } from './backend.ts'
import { checkBooks } from './books.ts'
import { unchargeableKeys } from './charge.ts'
import { brokenBy, type Checks, checking } from './checks.ts'
import { type Client, createClient } from './client.ts'
import { Context } from './context.ts'
import { checkDebits } from './debits.ts'
import type { Trace } from './differential.ts'
import { blameAbsence } from './gone.ts'
import type { Hooks } from './hooks.ts'
import { trustingLimits, watchLimits } from './lost-limits.ts'
import type { Outcome } from './outcome.ts'
import { createRandom } from './random.ts'
import type { Scenario } from './scenario.ts'
import { settledBooks, settledDebits } from './settled.ts'
import { hearing } from './strays.ts'
import type { Subject, Target } from './target.ts'
import { judgeThrown, worseOf } from './thrown.ts'
import { OutOfTime, within } from './time-limit.ts'
import type { Violation } from './universal/violation.ts'

/** What a scenario is run with: the target, its hooks, the seed. */
export interface Bench {
  readonly target: Target
  readonly hooks: Hooks
  readonly seed: number
  readonly tellSecret: (secret: string) => void
  /** False leaves out what is judged of every exchange. */
  readonly isJudging: boolean
  /** How long a scenario may take beyond its own waits; the usual time when it is left out. */
  readonly scenarioMs?: number
  /** Hears the half of the scripted model: what it was told, and what it received. */
  readonly onBackend?: (scripts: readonly object[], received: readonly Received[]) => void
  /** Ends the run early: what runs then, or has not begun, is an error. */
  readonly stopped?: AbortSignal
}

/** An outcome with what is compared between subjects. */
export interface Attempt {
  readonly outcome: Outcome
  readonly trace: Trace
  /** What its work threw after its end, and throws yet. */
  readonly late: readonly unknown[]
}

/** How long a request may take unless its scenario says otherwise, and a scenario beyond its own waits (ours). */
const CALL_TIMEOUT_MS = 10_000
const SCENARIO_TIMEOUT_MS = 40_000

/**
 * Runs a scenario once at one subject. A broken assertion is the verdict `fail`; anything else thrown is `error`,
 * wherever in its work that was. Throws nothing itself.
 */
export function attempt(scenario: Scenario, subject: Subject, bench: Bench): Promise<Attempt> {
  const strays: unknown[] = []
  const { promise: astray, reject } = Promise.withResolvers<never>()
  // Whoever races for it is perhaps gone.
  astray.catch(() => {})
  const hear = (thrown: unknown) => {
    strays.push(thrown)
    reject(thrown)
  }
  return hearing(hear, () => run(scenario, subject, bench, { strays, astray }))
}

interface Strays {
  readonly strays: unknown[]
  /** Rejects with the first. */
  readonly astray: Promise<never>
}

async function run(
  scenario: Scenario,
  subject: Subject,
  bench: Bench,
  { strays, astray }: Strays,
): Promise<Attempt> {
  const startedMs = performance.now()
  const { target, hooks, seed, tellSecret, isJudging, stopped } = bench
  const random = createRandom(seed, scenario.id)
  const nonce = `n${random.word(15)}`
  const waitsMs = scenario.waitsMs(target.limits)
  const client = createClient({
    ...addressOf(subject, target),
    ca: target.ca,
    headers: target.headers,
    subject,
    unchargeable: unchargeableKeys(target),
    canary: nonce,
    timeoutMs: CALL_TIMEOUT_MS * target.slack + waitsMs,
    slack: target.slack,
    isJudging,
  })
  const platform = target.platform && platformClient(target, nonce)
  const accounts = createAccounts(target, hooks, tellSecret)
  const books: Trace['books'][number][] = []
  const debits: Trace['debits'][number][] = []
  const thrown: unknown[] = []
  let warnings: readonly string[] = []
  let limits = trustingLimits
  const program = async () => {
    const address = scenario.needs.includes('backendScript') ? target.hooks.backendScript?.url : undefined
    const backend = await openBackend(address, nonce)
    const context = new Context({
      subject,
      target,
      client,
      platform,
      accounts,
      backend,
      hooks,
      random,
      nonce,
      tellSecret,
    })
    warnings = context.warnings
    limits = await watchLimits(scenario, target, hooks)
    try {
      await checking(scenario, checks, () => scenario.run(context))
    } finally {
      if (bench.onBackend && address !== undefined)
        bench.onBackend(backend.scripts, await backend.received().catch(() => []))
    }
  }
  const checks: Checks = { held: new Map() }
  try {
    const limitMs = (bench.scenarioMs ?? SCENARIO_TIMEOUT_MS * target.slack) + waitsMs
    await within(Promise.race([program(), astray]), limitMs, stopped)
    if (target.hooks.books) books.push(...(await settledBooks(accounts, target.slack)))
    else if (target.hooks.debits) debits.push(...(await settledDebits(accounts, target.slack)))
  } catch (error) {
    thrown.push(error instanceof OutOfTime ? error.blame(client.calls) : error)
  }
  const violations: Violation[] = []
  try {
    await Promise.all([client.close(), platform?.close()])
    // What it left behind hears now that its connections are closed.
    await nextTurn()
    violations.push(...client.violations)
    if (isJudging) violations.push(...books.flatMap(checkBooks), ...debits.flatMap(checkDebits))
  } catch (error) {
    thrown.push(error)
  }
  const met = [...new Set([...thrown, ...strays.splice(0)])].map((one) => blameAbsence(one, client.calls))
  const all = await limits.judged(met).catch((error: unknown) => [...met, error])
  const found = all.map(judgeThrown)
  const verdict = found.map((one) => one.verdict).reduce(worseOf, 'pass' as ScenarioVerdict)
  // What no rule speaks of is noticed, and no more.
  const odd = violations.filter(({ rules }) => rules.length === 0).map(({ problem }) => problem)
  const noticed = [...warnings, ...new Set(odd)]
  const isWarned = verdict === 'pass' && noticed.length > 0
  const broken = all.flatMap((one) => {
    const { verdict: own, problem } = judgeThrown(one)
    return own === 'fail' ? [{ rules: brokenBy(one, scenario.rules), problem }] : []
  })
  const exchanges = client.calls.map(({ exchange }) => exchange)
  const durationMs = Math.round(performance.now() - startedMs)
  return {
    outcome: {
      scenario,
      subject,
      verdict: isWarned ? 'warn' : verdict,
      shown: { held: checks.held, broken },
      violations,
      problems: [...found.map(({ problem }) => problem), ...noticed],
      exchanges,
      durationMs,
    },
    trace: { exchanges, books, debits },
    late: strays,
  }
}

/** Speaks to the platform beside whoever is judged. */
function platformClient(target: Target, canary: string): Client {
  const { ca, slack } = target
  const timeoutMs = CALL_TIMEOUT_MS * slack
  const address = addressOf('platform', target)
  return createClient({ ...address, ca, subject: 'platform', canary, timeoutMs, slack, isJudging: false })
}
