import type { ConformanceResults, ProfileResult } from '#contract/models'
import { isExcused } from '../announced.ts'
import { type Cause, causesApart, nameOf } from '../causes.ts'
import { claimsIn } from '../claims.ts'
import { noticedIn } from '../noticed.ts'
import { BEYOND, isOpenAis, OPENAI_PART, openAiStanding, type Standing } from '../openai-part.ts'
import { partOf, wordFor } from '../selected.ts'
import { withoutOf } from '../sentence.ts'
import { html, marked, placeOf } from './escape.ts'
import { link, linkToRule, type Places } from './places.ts'
import { cells, head } from './table.ts'
import { findingsOf, firstLine } from './told.ts'

const COUNTS = ['rules', 'verdict', 'kept', 'broken', 'partly shown', 'untold'] as const

/** The verdict on a role, and what to mend. */
export function describeProfile(result: ProfileResult, places: Places, results: ConformanceResults): string {
  const { profile, verdict, given, chosen, rules } = result
  const excusedOf = (origin: string) =>
    rules.filter((rule) => rule.origin === origin && isExcused(rule)).length
  const claims = claimsIn(results)
  const row = (name: 'given' | 'chosen', one: ProfileResult['given']) =>
    `<tr>${cells(
      COUNTS,
      [
        name,
        `${wordFor(one.verdict, results)}${claims.includes(name) ? '' : ', not claimed: decides nothing'}`,
        `${one.rules_kept}`,
        `${one.rules_broken.length}${excusedOf(name) > 0 ? ` (${excusedOf(name)} as announced)` : ''}`,
        `${one.rules_partly.length}`,
        `${one.rules_untold.length}`,
      ],
      { 1: claims.includes(name) ? one.verdict : 'idle' },
    )}</tr>`
  const standing = openAiStanding(result)
  const parts = standing && `${partRow(OPENAI_PART, standing.within)}${partRow(BEYOND, standing.beyond)}`
  const causes = causesApart(result, claims, results.scenarios)
  const [claimed, unclaimed] = [causes.claimed, causes.unclaimed].map((some) =>
    some.map((cause) => describeCause(profile, cause, places, results)).join(''),
  )
  return `<h2 id="${placeOf(profile, 'verdict')}">${html(profile)}: <span class="${verdict}">${wordFor(verdict, results)}</span>${withoutOf(result)}${html(partOf(results))}</h2>
<table>${head(COUNTS)}<tbody>
${row('given', given)}${parts ?? ''}${row('chosen', chosen)}</tbody></table>
${claimed && `<h3>What to mend, the costliest first</h3><p>${ORDER}</p>${claimed}`}
${unclaimed && `<h3>Of rules that are not claimed, which decide nothing</h3>${unclaimed}`}`
}

const ORDER =
  'First what clients of OpenAI’s API meet in more than one place, then what breaks most rules of that API, then a failure that is told as a success, then what breaks most of the other rules.'

/** A part of the given rules, which has no verdict of its own. */
function partRow(name: string, { kept, broken, partly, untold }: Standing): string {
  const values = [html(`of these, ${name}`), '–', ...[kept, broken, partly, untold].map(String)]
  return `<tr>${cells(COUNTS, values)}</tr>`
}

/** What was found and decides nothing. */
export function describeNoticed(results: ConformanceResults, profile: string, places: Places): string {
  const parts = noticedIn(results, profile).map(({ heading, scenarios }) => {
    const rows = scenarios.map(
      ({ id, title, problems }) =>
        `<li>${link(places, profile, id)} ${marked(title)}: ${html(firstLine(problems[0] ?? ''))}</li>`,
    )
    return `\n<h3>${heading}</h3><ul>${rows.join('')}</ul>`
  })
  return parts.join('')
}

/** Each rule with what was found that breaks it, so that one sees what was asked and answered. */
function describeCause(
  profile: string,
  cause: Cause,
  places: Places,
  { profiles }: ConformanceResults,
): string {
  const rules = cause.rules.toSorted((one, other) => Number(isOpenAis(other)) - Number(isOpenAis(one)))
  const rows = rules.map((rule) => {
    const about = `${html(rule.section)}${isOpenAis(rule) ? `, ${OPENAI_PART}` : ''}: ${marked(rule.text)}`
    return `<li><b>${linkToRule(profiles, profile, rule.id)}</b> ${about}${findingsOf(profile, rule, places, cause)}</li>`
  })
  const what = cause.answer === undefined ? '' : `<b>${html(cause.answer)}</b>; `
  const first = cause.answer !== undefined || cause.count > 1 ? 'first: ' : ''
  const openAis = rules.filter(isOpenAis).length
  const part = openAis === 0 ? '' : `, ${openAis} of ${OPENAI_PART}`
  const ids = rules.map(({ id }) => html(id)).join(', ')
  const breaks = `${cause.others > 0 ? 'break' : 'breaks'} ${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`
  return `<details><summary><b>${ids}</b>: ${html(nameOf(cause))} ${breaks}${part}: ${what}${first}${html(firstLine(cause.problem))}</summary>
<ul>${rows.join('')}</ul></details>`
}
