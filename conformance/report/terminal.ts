import { shorten, visible } from '#base/foreign-text.ts'
import type { ConformanceResults, OriginResult, ProfileResult } from '#contract/models'
import type { Outcome } from '../engine/outcome.ts'
import type { Origin } from '../engine/rules.ts'
import { type Cause, causesApart, nameOf } from './causes.ts'
import { claimsIn } from './claims.ts'
import { PROVISIONAL, provisionalIn } from './provisional.ts'
import { partOf, wordFor } from './selected.ts'
import { withoutOf } from './sentence.ts'
import { verifierClaim } from './verifier-claim.ts'

/** Tells a person how a run goes. */
export interface Progress {
  outcome(outcome: Outcome, redact: (text: string) => string): void
  end(): void
}

/** Where a person reads. */
export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const LOUD = new Set(['fail', 'error', 'warn'])

/** Elsewhere than on a terminal, a line each time another so many have ended (ours). */
const LINES = 10

/** On a terminal one line that moves; elsewhere a few lines, and what did not pass. Failures that decide nothing are marked. */
export function createProgress(
  screen: Screen,
  total: number,
  decides: (outcome: Outcome) => boolean = () => true,
): Progress {
  let seen = 0
  const clear = screen.isTTY ? '\r\x1b[2K' : ''
  return {
    outcome(outcome, redact) {
      const { scenario, subject, verdict, problems } = outcome
      const mark = verdict !== 'fail' || decides(outcome) ? '' : ', which decides nothing'
      seen += 1
      if (LOUD.has(verdict)) {
        const lines = problems.flatMap((problem) => redact(problem).split('\n').slice(0, 6))
        screen.write(
          `${clear}${verdict.padEnd(5)} ${scenario.id} (${subject}${mark})\n${lines.map((line) => `      | ${visible(line)}\n`).join('')}`,
        )
      }
      if (screen.isTTY) screen.write(`${clear}${seen}/${total} ${scenario.id}`)
      else if (seen === total || seen % Math.ceil(total / LINES) === 0) screen.write(`${seen}/${total}\n`)
    },
    end() {
      screen.write(clear)
    },
  }
}

/** The verdicts of a run, for people. */
export function summarize(results: ConformanceResults): string {
  const { product, profiles, duration_ms: durationMs, faults } = results
  const claims = claimsIn(results)
  const told = profiles.map(
    (one) => `${summarizeProfile(one, claims, results)}${describeProvisional(results, one.profile)}`,
  )
  const seconds = (durationMs / 1_000).toFixed(1)
  const name = [product.name, product.version].filter(Boolean).join(' ')
  const claim = verifierClaim(results)
  const own = faults.map((fault) => `\nThe suite itself failed: ${visible(fault.split('\n')[0] ?? '')}\n`)
  return `\nJudged: ${visible(name)}, in ${seconds} s\n${told.join('')}${claim ? `\n${claim}\n` : ''}${own.join('')}`
}

function summarizeProfile(
  result: ProfileResult,
  claims: readonly Origin[],
  results: ConformanceResults,
): string {
  const { profile, verdict, given, chosen, rules } = result
  const head = `\n${profile}: ${wordFor(verdict, results).toUpperCase()}${withoutOf(result)}${partOf(results)}\n  given   ${line(given, results)}\n  chosen  ${line(chosen, results)}\n`
  const { claimed, unclaimed } = causesApart(rules, claims)
  const others = unclaimed.map(describeCause).join('')
  return `${head}${claimed.map(describeCause).join('')}${others && `\n  Of rules that are not claimed, which decide nothing:\n${others}`}`
}

function describeProvisional(results: ConformanceResults, profile: string): string {
  const rows = provisionalIn(results, profile).map(
    ({ id, problems }) => `    ${shorten(id)}: ${shorten(problems[0]?.split('\n')[0] ?? '')}\n`,
  )
  return rows.length === 0 ? '' : `\n  ${PROVISIONAL}:\n${rows.join('')}`
}

/** What was found, and a row for each rule that it breaks: id, whose, section, sentence. */
function describeCause(cause: Cause): string {
  const rows = cause.rules.map(
    ({ id, origin, section, text }) =>
      `    ${id.padEnd(8)} ${origin.padEnd(6)} ${visible(section).padEnd(10)} ${shorten(text, SENTENCE_COLUMNS)}\n`,
  )
  const problem = shorten(cause.problem.split('\n')[0] ?? '')
  return `\n  broken by ${shorten(nameOf(cause))}: ${problem}\n${rows.join('')}`
}

/** So much of a sentence fits beside its id (ours). */
const SENTENCE_COLUMNS = 90

function line(
  {
    verdict,
    rules_kept: kept,
    rules_broken: broken,
    rules_partly: partly,
    rules_untold: untold,
    scenarios,
  }: OriginResult,
  results: ConformanceResults,
): string {
  const { pass, fail, warn, not_supported, not_testable, disabled, error } = scenarios
  const counts = {
    pass,
    fail,
    warn,
    'not supported': not_supported,
    'not testable': not_testable,
    disabled,
    error,
  }
  const shown = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'pass')
  const rules = [
    `${kept} rules kept`,
    ...(broken.length > 0 ? [`${broken.length} broken`] : []),
    ...(partly.length > 0 ? [`${partly.length} partly shown`] : []),
    ...(untold.length > 0 ? [`${untold.length} untold`] : []),
  ]
  return `${wordFor(verdict, results)}: ${rules.join(', ')}; scenarios: ${shown.map(([name, count]) => `${count} ${name}`).join(', ')}`
}
