import { AssertionError } from 'node:assert'
import { performance } from 'node:perf_hooks'
import type { ScenarioVerdict } from '#contract/models'
import { createAccounts } from './accounts.ts'
import { addressOf } from './address.ts'
import { openBackend } from './backend.ts'
import { checkBooks } from './books.ts'
import { type Client, createClient } from './client.ts'
import { Context } from './context.ts'
import type { Trace } from './differential.ts'
import type { Hooks } from './hooks.ts'
import type { Outcome } from './outcome.ts'
import { createRandom } from './random.ts'
import { originOf } from './rules.ts'
import type { Scenario } from './scenario.ts'
import { settledBooks } from './settled.ts'
import type { Subject, Target } from './target.ts'
import type { Violation } from './universal/violation.ts'

/** What a scenario is run with: the target, its hooks, the seed. */
export interface Bench {
  readonly target: Target
  readonly hooks: Hooks
  readonly seed: number
  readonly tellSecret: (secret: string) => void
  /** False leaves out what is judged of every exchange. */
  readonly isJudging: boolean
}

/** An outcome with what is compared between subjects. */
export interface Attempt {
  readonly outcome: Outcome
  readonly trace: Trace
}

/** How long a request may take unless its scenario says otherwise, and a scenario beyond its own waits (ours). */
const CALL_TIMEOUT_MS = 10_000
const SCENARIO_TIMEOUT_MS = 40_000

/** Runs a scenario once at one subject. A broken assertion is the verdict `fail`; anything else thrown is `error`. */
export async function attempt(scenario: Scenario, subject: Subject, bench: Bench): Promise<Attempt> {
  const startedMs = performance.now()
  const { target, hooks, seed, tellSecret, isJudging } = bench
  const random = createRandom(seed, scenario.id)
  const nonce = `n${random.word(15)}`
  const client = createClient({
    ...addressOf(subject, target),
    ca: target.ca,
    subject,
    canary: nonce,
    timeoutMs: CALL_TIMEOUT_MS * target.slack + scenario.waitsMs(target.limits),
    isJudging,
  })
  const platform = target.platform && platformClient(target, nonce)
  const accounts = createAccounts(target, hooks, tellSecret)
  const books: Trace['books'][number][] = []
  const problems: string[] = []
  let verdict: ScenarioVerdict = 'pass'
  let warnings: readonly string[] = []
  try {
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
    await within(scenario.run(context), SCENARIO_TIMEOUT_MS * target.slack + scenario.waitsMs(target.limits))
    if (target.hooks.ledger) books.push(...(await settledBooks(accounts, target.slack)))
  } catch (error) {
    const isProducts = error instanceof AssertionError
    verdict = isProducts ? 'fail' : 'error'
    problems.push(
      isProducts ? error.message.trim() : String((error instanceof Error && error.stack) || error),
    )
  }
  await Promise.all([client.close(), platform?.close()])
  const violations = [...client.violations, ...(isJudging ? books.flatMap(checkBooks) : [])]
  const judged = judge(verdict, violations, scenario)
  const isWarned = judged === 'pass' && warnings.length > 0
  const exchanges = client.calls.map(({ exchange }) => exchange)
  const durationMs = Math.round(performance.now() - startedMs)
  return {
    outcome: {
      scenario,
      subject,
      verdict: isWarned ? 'warn' : judged,
      problems: [...problems, ...warnings, ...new Set(violations.map(({ problem }) => problem))],
      exchanges,
      durationMs,
    },
    trace: { exchanges, books },
  }
}

/** Speaks to the platform beside whoever is judged. */
function platformClient(target: Target, canary: string): Client {
  const timeoutMs = CALL_TIMEOUT_MS * target.slack
  const address = addressOf('platform', target)
  return createClient({ ...address, ca: target.ca, subject: 'platform', canary, timeoutMs, isJudging: false })
}

/** A chosen rule that is broken beside a given scenario is noticed and no more. */
function judge(
  verdict: ScenarioVerdict,
  violations: readonly Violation[],
  { rules }: Scenario,
): ScenarioVerdict {
  if (verdict !== 'pass' || violations.length === 0) return verdict
  const isGiven = originOf(rules) === 'given'
  return violations.some(({ origin }) => origin === 'given' || !isGiven) ? 'fail' : 'warn'
}

async function within(run: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the scenario did not end within ${limitMs} ms`)), limitMs)
  })
  await Promise.race([run, late]).finally(() => clearTimeout(timer))
}
