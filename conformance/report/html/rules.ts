import type { ProfileResult } from '#contract/models'
import { isExcused } from '../announced.ts'
import { pageOf } from '../explained.ts'
import { whose } from '../openai-part.ts'
import { html, marked } from './escape.ts'
import { type Places, toldBy } from './places.ts'
import { cells, head } from './table.ts'

const STATES = ['broken', 'partly', 'untold', 'kept'] as const

const COLUMNS = ['rule', 'state', 'whose', 'section', 'sentence', 'told by'] as const

/** Every rule in a table, below what narrows it. */
export function describeRules(profiles: readonly ProfileResult[], places: Places): string {
  const rows = profiles.flatMap(({ profile, rules }) =>
    rules.map((rule) => describeRule(profile, rule, places)),
  )
  return `${filter()}
<table>${head(COLUMNS)}<tbody>
${rows.join('')}</tbody></table>`
}

function filter(): string {
  const ticks = STATES.map(
    (state) => `<label><input type="checkbox" name="state" value="${state}" checked> ${state}</label>`,
  )
  return `<div class="filter"><input type="search" id="text" aria-label="Text that a rule holds" placeholder="id, section, words, OpenAI">${ticks.join('')}<output id="shown"></output></div>`
}

function describeRule(profile: string, rule: ProfileResult['rules'][number], places: Places): string {
  const { id, state, section, text } = rule
  const told = `${state}${isExcused(rule) ? ', as announced' : ''}`
  const page = pageOf(id)
  const name = page === undefined ? html(id) : `<a href="${html(page)}" rel="noreferrer">${html(id)}</a>`
  const values = [name, told, whose(rule), html(section), marked(text), toldBy(profile, rule, places)]
  return `<tr data-state="${state}">${cells(COLUMNS, values, { 1: state })}</tr>
`
}
