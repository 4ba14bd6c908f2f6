import scenarioIndex from '../../conformance/scenarios.json' with { type: 'json' }
import catalogue from '../../generated/rules.json' with { type: 'json' }
import { sectionsOf } from '../markdown/headings.ts'
import { fromProject } from '../markdown/links.ts'
import type { Page } from '../page.ts'
import { read } from '../project.ts'
import { type Clause, clauses } from './contract.ts'

/** One rule of the contract. */
interface Rule {
  readonly id: string
  readonly origin: string
  readonly ref: string
  readonly level: string
  readonly subjects: readonly string[]
  readonly test: string
  readonly text: string
  readonly reason?: string
  readonly scenarios?: readonly string[]
}

const PAGE = 'generated/rules.md'

/** Every rule, in the order of the text. */
export const allRules: readonly Rule[] = catalogue.rules

const scenarios = new Map(scenarioIndex.scenarios.map((scenario) => [scenario.id, scenario]))

const means = new Map(
  Object.entries({
    'black-box': 'from outside, with no more than addresses and keys',
    control: 'with a control hook or a stand-in around the product',
    vector: 'by documents and the verdict on them',
    inspection: 'by reading',
    'out-of-scope': 'not by an exchange',
  }),
)

/** Where a rule has its page. */
export function addressOfRule(id: string): string {
  return `rules/${id}.html`
}

/** A page for each rule, and one with all of them. */
export function rulePages(): readonly Page[] {
  const places = clauses()
  const clauseOf = ({ id, ref }: Rule) => {
    const clause = places.get(ref) ?? places.get(ref.replace(/:\d+$/, ''))
    if (clause === undefined) throw new Error(`${id}: no place ${ref} in the text`)
    return clause
  }
  return [listOfRules(clauseOf), ...allRules.map((rule) => rulePage(rule, clauseOf(rule)))]
}

function listOfRules(clauseOf: (rule: Rule) => Clause): Page {
  const bySection = Map.groupBy(allRules, (rule) => clauseOf(rule).section)
  const sections = [...bySection].flatMap(([section, rules]) => [
    `## ${section}`,
    '',
    ...rules.map(({ id, origin, text }) => `- [${id}](#${id}) *${origin}* · ${text}`),
    '',
  ])
  const how = fromProject(sectionsOf(read(PAGE), ['## How to read this page', '## Topics']), PAGE)
  return {
    address: 'rules/index.html',
    title: 'Rules',
    summary: 'Everything that the contract asks of anybody, one rule for each obligation.',
    group: 'Reference',
    source: PAGE,
    markdown: `# Rules\n\nEverything that the contract asks of anybody, one rule for each obligation, each at an address of its own.\n\n${sections.join('\n')}\n${how}`,
  }
}

function rulePage(rule: Rule, clause: Clause): Page {
  const { id, origin, level, subjects, test, text, reason } = rule
  const other = clause.words.replace(/\s+/g, ' ') !== text
  const markdown = [
    `# ${id}`,
    '',
    `> ${text}`,
    '',
    '| | |',
    '|---|---|',
    `| Provenance | **${origin}**: ${origin === 'given' ? 'it stands in the given specification' : 'this project decided it; another implementation may have decided otherwise'} |`,
    `| Binds | ${subjects.join(', ')}${level === 'must' ? '' : `, who ${level}`} |`,
    `| Place | <a href="../${clause.address}">${rule.ref}</a>, ${clause.section} |`,
    `| Tested | ${test}: ${means.get(test)}${reason === undefined ? '' : `. ${reason}`} |`,
    '',
    ...(clause.remarks === ''
      ? []
      : ['## What the text says of it', '', fromProject(clause.remarks, clause.file), '']),
    ...(other ? ['## The whole of its place', '', fromProject(clause.words, clause.file), ''] : []),
    '## What shows it',
    '',
    ...shownBy(rule),
  ].join('\n')
  return { address: addressOfRule(id), title: id, summary: text, source: clause.file, markdown }
}

function shownBy({ id, scenarios: ids = [], test }: Rule): readonly string[] {
  if (scenarioIndex.comparison.includes(id))
    return ['Every scenario that is run twice, at the router and through the proxy, and compared.']
  if (ids.length === 0 && (test === 'inspection' || test === 'out-of-scope'))
    return ['No exchange can show it; the line above says why.']
  if (ids.length === 0)
    return ['No scenario of the suite. [Known gaps](/docs/known-gaps.md) has what is open.']
  return ids.map((scenario) => {
    const known = scenarios.get(scenario)
    return known === undefined
      ? `- \`${scenario}\`, a vector for verifiers`
      : `- \`${scenario}\`: ${known.title}`
  })
}
