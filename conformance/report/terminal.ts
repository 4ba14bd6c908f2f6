import { shorten, visible } from '#base/foreign-text.ts'
import type { ConformanceResults, OriginResult, ProfileResult } from '#contract/models'
import type { Outcome } from '../engine/outcome.ts'
import { brokenRules } from '../engine/rule-states.ts'
import { ANNOUNCED, announcedLines, isExcused } from './announced.ts'
import { type Cause, causesApart, nameOf, problemOf } from './causes.ts'
import { claimsIn } from './claims.ts'
import { pageOf } from './explained.ts'
import { whatFailed } from './faults.ts'
import { noticedIn } from './noticed.ts'
import { BEYOND, countStanding, OPENAI_PART, openAiStanding } from './openai-part.ts'
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

/**
 * On a terminal one line that moves; elsewhere a few lines, and what did not pass. Failures that decide nothing are marked
 * with why (`whyIdle`). What breaks rules is told at the end, with these: here it is named.
 */
export function createProgress(
  screen: Screen,
  total: number,
  whyIdle: (outcome: Outcome) => string | undefined = () => undefined,
): Progress {
  let seen = 0
  const clear = screen.isTTY ? '\r\x1b[2K' : ''
  return {
    outcome(outcome, redact) {
      const { scenario, subject, verdict, problems } = outcome
      const idle = verdict === 'fail' ? whyIdle(outcome) : undefined
      seen += 1
      if (LOUD.has(verdict)) {
        const isToldAtTheEnd = verdict === 'fail' && brokenRules(outcome).length > 0
        const told = isToldAtTheEnd ? [] : problems
        const lines = told.flatMap((problem) => redact(problem).split('\n').slice(0, 6))
        screen.write(
          `${clear}${verdict.padEnd(5)} ${scenario.id} (${subject}${idle ? `, ${idle}` : ''})\n${lines.map((line) => `      | ${visible(line)}\n`).join('')}`,
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

/** What a run has found, for people: what broke, and the verdicts at the end, where they are read first. */
export function summarize(results: ConformanceResults): string {
  const { product, profiles, duration_ms: durationMs, faults } = results
  const seconds = (durationMs / 1_000).toFixed(1)
  const name = [product.name, product.version].filter(Boolean).join(' ')
  const claim = verifierClaim(results)
  const announced = announcedLines(results).map((line) => `    ${shorten(line, LINE_COLUMNS)}\n`)
  return [
    ...profiles.map((one) => `${describeFindings(one, results)}${describeNoticed(results, one.profile)}`),
    `\nJudged: ${visible(name)}, in ${seconds} s\n`,
    ...profiles.map((one) => describeVerdict(one, results)),
    announced.length > 0 ? `\n  ${ANNOUNCED}:\n${announced.join('')}` : '',
    claim ? `\n${claim}\n` : '',
    describeWhere(profiles),
    ...faults.map((fault) => `\n${whatFailed(fault)}: ${visible(fault.split('\n')[0] ?? '')}\n`),
  ].join('')
}

/** Where the first of the broken rules is explained; the others stand beside it. */
function describeWhere(profiles: readonly ProfileResult[]): string {
  const [first] = profiles.flatMap(({ rules }) => rules.filter(({ state }) => state === 'broken'))
  const page = first && pageOf(first.id)
  return page === undefined ? '' : `\nEach rule is explained on a page of its own: ${visible(page)}\n`
}

/** What decides, and then what does not in a line each; where a rule was asked for, others stand behind it. */
function describeFindings(result: ProfileResult, results: ConformanceResults): string {
  const { claimed, unclaimed } = causesApart(result, claimsIn(results), results.scenarios)
  const asked = results.selection.rules
  const isAsked = ({ rules }: Cause) => asked.length === 0 || rules.some(({ id }) => asked.includes(id))
  const beside = [...claimed, ...unclaimed].filter((cause) => !isAsked(cause)).map(describeShortly)
  const idle = unclaimed.filter(isAsked).map(describeShortly)
  return [
    ...claimed.filter(isAsked).map(describeCause),
    idle.length > 0 ? `\n  Of rules that are not claimed, which decide nothing:\n${idle.join('')}` : '',
    beside.length > 0 ? `\n  Found beside what was asked for:\n${beside.join('')}` : '',
  ].join('')
}

function describeVerdict(result: ProfileResult, results: ConformanceResults): string {
  const { profile, verdict, rules } = result
  const head = `${wordFor(verdict, results).toUpperCase()}${withoutOf(result)}${partOf(results)}`
  const lines = (['given', 'chosen'] as const).map((origin) => {
    const excused = rules.filter((rule) => rule.origin === origin && isExcused(rule)).length
    return `  ${origin.padEnd(6)}  ${line(result[origin], excused, results)}\n`
  })
  const standing = openAiStanding(result)
  const parts =
    standing === undefined
      ? ''
      : `          given rules of ${OPENAI_PART} kept: ${countStanding(standing.within)}; ${BEYOND}: ${countStanding(standing.beyond)}\n`
  return `\n${profile}: ${head}\n${lines[0]}${parts}${lines[1]}`
}

function describeNoticed(results: ConformanceResults, profile: string): string {
  const parts = noticedIn(results, profile).map(({ heading, scenarios }) => {
    const rows = scenarios.map(
      ({ id, problems }) => `    ${shorten(id)}: ${shorten(problems[0]?.split('\n')[0] ?? '')}\n`,
    )
    return `\n  ${heading}:\n${rows.join('')}`
  })
  return parts.join('')
}

/** What was found, and a row for each rule that it breaks: id, whose, section, sentence. */
function describeCause(cause: Cause): string {
  const rows = cause.rules.map(
    ({ id, origin, section, text }) =>
      `    ${id.padEnd(8)} ${origin.padEnd(6)} ${visible(section).padEnd(10)} ${shorten(text, SENTENCE_COLUMNS)}\n`,
  )
  return `\n  broken by ${shorten(nameOf(cause))}: ${shorten(problemOf(cause))}\n${rows.join('')}`
}

/** The same on one line. */
function describeShortly(cause: Cause): string {
  const ids = cause.rules.map(({ id }) => id).join(', ')
  return `    ${ids} by ${shorten(nameOf(cause))}: ${shorten(problemOf(cause), SENTENCE_COLUMNS)}\n`
}

/** So much of a sentence fits beside its id, and of a line (ours). */
const SENTENCE_COLUMNS = 90
const LINE_COLUMNS = 240

function line(
  {
    verdict,
    rules_kept: kept,
    rules_broken: broken,
    rules_partly: partly,
    rules_untold: untold,
    scenarios,
  }: OriginResult,
  excused: number,
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
  const announced = excused > 0 ? ` (${excused} as announced)` : ''
  const rules = [
    `${kept} rules kept`,
    ...(broken.length > 0 ? [`${broken.length} broken${announced}`] : []),
    ...(partly.length > 0 ? [`${partly.length} partly shown`] : []),
    ...(untold.length > 0 ? [`${untold.length} untold`] : []),
  ]
  return `${wordFor(verdict, results)}: ${rules.join(', ')}; scenarios: ${shown.map(([name, count]) => `${count} ${name}`).join(', ')}`
}
