import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, ProfileResult } from '#contract/models'
import type { Origin } from '../engine/rules.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'
import { reasonFor } from './announced.ts'
import { claimsIn } from './claims.ts'

type Result = ConformanceResults['scenarios'][number]

/** One case: what a CI shows of it. */
interface Case {
  readonly folder: string
  readonly name: string
  readonly seconds: number
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped'
  readonly message: string
  readonly text: string
}

/**
 * The results as JUnit's XML: a test suite for each role, a case for each scenario, and one for each rule that
 * exchanges broke whatever their scenarios were about. What no claimed rule asks for fails nobody: it is skipped, and
 * says why.
 */
export function toJUnit(results: ConformanceResults): string {
  const claims = claimsIn(results)
  const suites = results.profiles.map((profile) => {
    const own = results.scenarios.filter(({ subject }) => subject === profile.profile)
    const cases = [
      ...own.map((result) => caseOf(result, claims, results)),
      ...universalCases(profile, claims, results),
    ]
    const name = `${results.product.name} as ${profile.profile}`
    return `  ${suiteOf(name, cases)}\n${cases.map(write).join('')}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

function caseOf(result: Result, claims: readonly Origin[], results: ConformanceResults): Case {
  const { id, title, problems, duration_ms: durationMs } = result
  const folder = id.split('/').slice(0, -1).join('.')
  const told = { folder, name: `${id}: ${title}`, seconds: durationMs / 1_000, text: problems.join('\n') }
  return { ...told, ...outcomeOf(result, claims, reasonFor(results, id)) }
}

/** In their order: what decides stands first. */
function outcomeOf(
  result: Result,
  claims: readonly Origin[],
  reason: string | undefined,
): Pick<Case, 'outcome' | 'message'> {
  const why = reason === undefined ? '' : ` (${reason})`
  const { verdict, provisional, expected, fails, origin, problems } = result
  const first = problems[0] ?? ''
  if (provisional && (verdict === 'fail' || verdict === 'error'))
    return { outcome: 'skipped', message: `provisional, and decides nothing yet: ${first}` }
  const isClaimed = fails.some((one) => claims.includes(one))
  if (expected === 'passed' && isClaimed)
    return { outcome: 'failure', message: `It was announced to fail${why}, and passes.` }
  if (isClaimed) return { outcome: 'failure', message: first }
  if (verdict === 'error')
    return claims.includes(origin)
      ? { outcome: 'error', message: first }
      : { outcome: 'skipped', message: `an error, of rules that are not claimed: ${first}` }
  if (expected === 'failed') return { outcome: 'skipped', message: `announced failure${why}: ${first}` }
  if (verdict === 'fail')
    return { outcome: 'skipped', message: `it fails, by rules that are not claimed: ${first}` }
  if (verdict === 'pass' || verdict === 'warn') return { outcome: 'passed', message: first }
  return { outcome: 'skipped', message: `${verdict}: ${first}` }
}

function universalCases(
  { rules }: ProfileResult,
  claims: readonly Origin[],
  results: ConformanceResults,
): readonly Case[] {
  return rules.flatMap(({ id, origin, text: sentence, broken_by: broken }) =>
    broken
      .filter(({ scenario }) => scenario === UNIVERSAL)
      .map(({ problem, count, announced }): Case => {
        const found = `${count === 1 ? 'once' : `${count} times`}: ${problem}`
        const told = { folder: UNIVERSAL, name: `${id}: ${sentence}`, seconds: 0, text: found }
        const why = reasonFor(results, UNIVERSAL, id)
        if (announced) return { ...told, outcome: 'skipped', message: `announced failure (${why}): ${found}` }
        return claims.includes(origin)
          ? { ...told, outcome: 'failure', message: found }
          : { ...told, outcome: 'skipped', message: `the rule is not claimed: ${found}` }
      }),
  )
}

function suiteOf(name: string, cases: readonly Case[]): string {
  const count = (wanted: Case['outcome']) => cases.filter(({ outcome }) => outcome === wanted).length
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0)
  return (
    `<testsuite name="${xml(name)}" tests="${cases.length}" failures="${count('failure')}" ` +
    `errors="${count('error')}" skipped="${count('skipped')}" time="${seconds.toFixed(3)}">`
  )
}

function write({ folder, name, seconds, outcome, message, text }: Case): string {
  const attributes = `classname="${xml(folder)}" name="${xml(name)}" time="${seconds.toFixed(3)}"`
  const inner = {
    passed: text && `<system-out>${xml(text)}</system-out>`,
    skipped: `<skipped message="${xml(message)}"/>`,
    failure: `<failure message="${xml(message)}">${xml(text)}</failure>`,
    error: `<error message="${xml(message)}">${xml(text)}</error>`,
  }[outcome]
  return `    <testcase ${attributes}${inner === '' ? '/>' : `>${inner}</testcase>`}\n`
}

function xml(text: string): string {
  const known: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[&<>"]/g, (character) => known[character]!)
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/gu, '\ufffd')
}
