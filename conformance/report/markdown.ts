import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, ProfileResult } from '#contract/models'
import type { Origin } from '../engine/rules.ts'
import { ANNOUNCED, announcedLines, isExcused } from './announced.ts'
import { type Cause, causesApart, nameOf, problemOf } from './causes.ts'
import { claimsIn } from './claims.ts'
import { pageOf } from './explained.ts'
import { whatFailed } from './faults.ts'
import { noticedIn } from './noticed.ts'
import { BEYOND, OPENAI_PART, openAiStanding, type Standing, whose } from './openai-part.ts'
import { partOf, wordFor } from './selected.ts'
import { withoutOf } from './sentence.ts'
import { verifierClaim } from './verifier-claim.ts'

type RuleResult = ProfileResult['rules'][number]

/** The results for people, as Markdown: the verdicts, what broke, and one table of every rule. */
export function toMarkdown(results: ConformanceResults): string {
  const { product, suite, target, started_at: at, profiles, faults } = results
  const name = [product.name, product.version].filter((one) => one !== undefined).join(' ')
  const about = [product.url, product.contact].filter((one) => one !== undefined)
  const claim = verifierClaim(results)
  return [
    `# Conformance of ${plain(name)}`,
    '',
    ...about.map((one) => `- ${plain(one)}`),
    `- Judged ${plain(at)} by suite ${plain(suite.version)}, commit ${plain(suite.commit ?? 'unknown')}, ${suite.scenarios} scenarios`,
    `- Interface ${plain(suite.interface_sha256)}, rules ${plain(suite.rules_sha256)}`,
    `- Claims ${target.claims.join(' and ')}; features ${target.features.join(', ') || 'none'}; hooks ${target.hooks.join(', ') || 'none'}`,
    ...(claim === undefined ? [] : [`- ${claim}`]),
    `- Options: ${describeOptions(results)}`,
    ...describeAnnounced(results),
    ...faults.map((fault) => `- **${whatFailed(fault)}:** ${plain(fault)}`),
    '',
    ...profiles.flatMap((profile) => [
      ...describeProfile(profile, claimsIn(results), results),
      ...describeNoticed(results, profile.profile),
    ]),
  ].join('\n')
}

function describeAnnounced(results: ConformanceResults): readonly string[] {
  const lines = announcedLines(results).map((line) => `  - ${plain(line)}`)
  return lines.length === 0 ? [] : [`- ${ANNOUNCED}:`, ...lines]
}

/** By which options a run was made, in words. */
export function describeOptions({ selection, target }: ConformanceResults): string {
  const { grep, rules, origin, slow, seed, jobs } = selection
  const parts = [
    ...(grep.length === 0 ? [] : [`only what holds ${grep.map((one) => `"${plain(one)}"`).join(' or ')}`]),
    ...(rules.length === 0 ? [] : [`only what counts for ${plain(rules.join(' or '))}`]),
    ...(origin === null ? [] : [`only ${origin} rules`]),
    slow ? 'with what waits long' : 'without what waits long',
    `seed ${seed}`,
    `${jobs} at once`,
    `times ${target.slack}-fold`,
  ]
  return parts.join(', ')
}

function describeProfile(
  result: ProfileResult,
  claims: readonly Origin[],
  results: ConformanceResults,
): readonly string[] {
  const { profile, verdict, given, chosen, rules } = result
  const { claimed, unclaimed } = causesApart(result, claims, results.scenarios)
  const row = (name: string, { verdict: own, rules_kept: kept, ...one }: ProfileResult['given']) =>
    `| ${name} | ${wordFor(own, results)} | ${kept} | ${one.rules_broken.length} | ${one.rules_partly.length} | ${one.rules_untold.length} |`
  const standing = openAiStanding(result)
  const partRow = (name: string, one: Standing) =>
    `| of these, ${name} | – | ${one.kept} | ${one.broken} | ${one.partly} | ${one.untold} |`
  return [
    `## ${profile}: ${wordFor(verdict, results)}${withoutOf(result)}${plain(partOf(results))}`,
    '',
    '| rules | verdict | kept | broken | partly shown | untold |',
    '|---|---|---|---|---|---|',
    row('given', given),
    ...(standing ? [partRow(OPENAI_PART, standing.within), partRow(BEYOND, standing.beyond)] : []),
    row('chosen', chosen),
    '',
    ...claimed.flatMap(describeCause),
    ...(unclaimed.length === 0 ? [] : [NOT_CLAIMED, '', ...unclaimed.flatMap(describeCause)]),
    ...(['partly', 'untold', 'kept'] as const).flatMap((state) => {
      const own = rules.filter((rule) => rule.state === state)
      return own.length === 0 ? [] : [`### ${TITLES[state]}`, '', ...table(own)]
    }),
  ]
}

function describeNoticed(results: ConformanceResults, profile: string): readonly string[] {
  const head = ['| scenario | what it shows | what was found |', '|---|---|---|']
  return noticedIn(results, profile).flatMap(({ heading, scenarios }) => {
    const rows = scenarios.map(
      ({ id, title, problems }) => `| ${plain(id)} | ${plain(title)} | ${plain(problems[0] ?? '')} |`,
    )
    return [`### ${heading}`, '', ...head, ...rows, '']
  })
}

const NOT_CLAIMED = 'What follows broke rules that are not claimed, which decide nothing:'

function describeCause(cause: Cause): readonly string[] {
  return [`### ${plain(nameOf(cause))}`, '', plain(problemOf(cause)), '', ...table(cause.rules)]
}

const TITLES = { partly: 'Partly shown', untold: 'Untold', kept: 'Kept' } as const

function table(rules: readonly RuleResult[]): readonly string[] {
  const rows = rules.map(
    (rule) =>
      `| ${nameOfRule(rule)} | ${whose(rule)} | ${plain(rule.section)} | ${plain(rule.text)} | ${rule.state}${isExcused(rule) ? ', as announced' : ''} | ${plain(toldBy(rule))} |`,
  )
  return ['| rule | whose | section | sentence | state | told by |', '|---|---|---|---|---|---|', ...rows, '']
}

function nameOfRule({ id }: RuleResult): string {
  const page = pageOf(id)
  return page === undefined ? plain(id) : `[${plain(id)}](${page})`
}

/** The check that says so, or why none could. */
function toldBy({ state, held, broken_by: broken, untold_by: gaps }: RuleResult): string {
  if (state === 'broken') return [...new Set(broken.map(({ scenario }) => scenario))].join(', ')
  if (state === 'kept') return held === 1 ? '1 check' : `${held} checks`
  const [first] = gaps
  const more = gaps.length > 1 ? `, and ${gaps.length - 1} more` : ''
  return first === undefined ? '' : `${first.scenario}: ${first.reason}${more}`
}

const MAX_CELL = 300

/** Text of others on one line, of which nothing is read as Markdown or as HTML. */
export function plain(text: string): string {
  const line = text.split(/\s*[\r\n]+\s*/).join(' ')
  const short = line.length > MAX_CELL ? `${line.slice(0, MAX_CELL)}…` : line
  return visible(short).replace(/[\\`*_{}[\]<>|#~!&]/g, '\\$&')
}
