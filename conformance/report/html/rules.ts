import type { ConformanceResults, ProfileResult } from '#contract/models'
import { isExcused } from '../announced.ts'
import { pageOf } from '../explained.ts'
import { isOpenAis, OPENAI_PART, whose } from '../openai-part.ts'
import { html, marked } from './escape.ts'
import { type Places, placeOfRule } from './places.ts'
import { cells, head } from './table.ts'
import { toldBy } from './told.ts'

const STATES = ['broken', 'partly', 'untold', 'kept'] as const

/** Whose rules there are, as values of boxes, with the words beside them. */
const OWNERS = [
  ['openai', `given, ${OPENAI_PART}`],
  ['given', 'given, beyond it'],
  ['chosen', 'chosen'],
] as const

const COLUMNS = ['rule', 'state', 'whose', 'section', 'sentence', 'told by'] as const

/** Every rule in a table, below what narrows it. */
export function describeRules(results: ConformanceResults, places: Places): string {
  const { profiles } = results
  const rows = profiles.flatMap(({ profile, rules }) =>
    rules.map((rule) => describeRule(profile, rule, places, results)),
  )
  return `${filter()}
<table class="rules">${head(COLUMNS)}<tbody>
${rows.join('')}</tbody></table>
<p id="none" hidden>No rule holds that text in the boxes that are ticked.</p>`
}

function filter(): string {
  const box = (name: string, value: string, label: string) =>
    `<label><input type="checkbox" name="${name}" value="${value}" checked> ${label}</label>`
  return `<div class="filter"><input type="search" id="text" aria-label="Text that a rule holds" placeholder="id, section, words, a scenario">
<span>${STATES.map((state) => box('state', state, state)).join(' ')}</span>
<span>${OWNERS.map(([value, label]) => box('owner', value, label)).join(' ')}</span><output id="shown"></output></div>`
}

function describeRule(
  profile: string,
  rule: ProfileResult['rules'][number],
  places: Places,
  { profiles, scenarios }: ConformanceResults,
): string {
  const { id, origin, state, section, text } = rule
  const told = `${state}${isExcused(rule) ? ', as announced' : ''}`
  const page = pageOf(id)
  const name = page === undefined ? html(id) : `<a href="${html(page)}" rel="noreferrer">${html(id)}</a>`
  const by = toldBy(profile, rule, places, scenarios)
  const values = [name, told, whose(rule), html(section), marked(text), by]
  const owner = isOpenAis(rule) ? 'openai' : origin
  return `<tr id="${placeOfRule(profiles, profile, id)}" data-state="${state}" data-owner="${owner}">${cells(COLUMNS, values, { 1: state })}</tr>
`
}
