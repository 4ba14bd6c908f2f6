import { isObject } from '#base/object.ts'
import type { ConformanceResults, RecordedExchange } from '#contract/models'
import type { Exchange } from '../engine/http/exchange.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { Redactor } from '../engine/redact.ts'
import { type Origin, originOf } from '../engine/rules.ts'
import type { Subject, Target } from '../engine/target.ts'
import { expectationOf, judgeProfile } from '../engine/verdict.ts'
import { observe } from './observed.ts'

/** What a run was and what it found. */
export interface Run {
  readonly target: Target
  readonly profiles: readonly Subject[]
  readonly outcomes: readonly Outcome[]
  readonly startedAt: Date
  readonly durationMs: number
  readonly suite: ConformanceResults['suite']
  readonly selection: ConformanceResults['selection']
}

/** Describes a run as `results.json`; no secret is in it. */
export function describeRun(run: Run, redactor: Redactor): ConformanceResults {
  const { target, outcomes, selection } = run
  const judged = { ...target, claims: claimsOf(target, selection.origin) }
  const results: ConformanceResults = {
    version: 1,
    suite: run.suite,
    product: target.product,
    started_at: run.startedAt.toISOString(),
    duration_ms: Math.round(run.durationMs),
    selection,
    profiles: run.profiles.map((profile) => judgeProfile(profile, outcomes, judged)),
    scenarios: outcomes.map((outcome) => describeOutcome(outcome, target)),
    observed: observe(outcomes, target),
  }
  return redacted(results, redactor) as ConformanceResults
}

/** A run of one provenance judges that one alone. */
function claimsOf({ claims }: Target, origin: Origin | null): readonly Origin[] {
  return origin === null ? claims : [origin]
}

function describeOutcome(outcome: Outcome, target: Target): ConformanceResults['scenarios'][number] {
  const { scenario, subject, verdict, problems, durationMs } = outcome
  const isShown = verdict === 'fail' || verdict === 'warn' || verdict === 'error'
  return {
    id: scenario.id,
    subject,
    title: scenario.title,
    rules: [...scenario.rules],
    origin: originOf(scenario.rules),
    verdict,
    expected: expectationOf(outcome, target.expectedFailures),
    problems: [...problems],
    duration_ms: durationMs,
    exchanges: isShown ? outcome.exchanges.slice(-MAX_EXCHANGES).map(describeExchange) : [],
  }
}

/** What is kept of a scenario that did not pass (ours). */
const MAX_EXCHANGES = 20
const MAX_BODY_CHARACTERS = 4_000

function describeExchange({
  sent,
  status,
  headers,
  body,
  ending,
  headMs,
  endMs,
}: Exchange): RecordedExchange {
  const { authorization, ...others } = sent.headers
  return {
    request: `${sent.method} ${sent.url}`,
    request_headers: { ...others, ...(authorization === undefined ? {} : { authorization: '[secret]' }) },
    request_body: shortened(sent.body),
    status: status === 0 ? null : status,
    headers,
    body: shortened(body),
    ending,
    head_ms: headMs === null ? null : Math.round(headMs),
    end_ms: Math.round(endMs),
  }
}

function shortened(body: Buffer): string {
  const text = body.toString('utf8')
  return text.length > MAX_BODY_CHARACTERS ? `${text.slice(0, MAX_BODY_CHARACTERS)}…` : text
}

function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redact(value)
  if (Array.isArray(value)) return value.map((one) => redacted(one, redactor))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [redactor.redact(name), redacted(one, redactor)]),
  )
}
