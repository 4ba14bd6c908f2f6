import type { ConformanceResults, ProfileResult } from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { ANNOUNCED, announcedLines, isExcused } from '../announced.ts'
import { type Cause, causesApart, nameOf } from '../causes.ts'
import { claimsIn } from '../claims.ts'
import { PROVISIONAL, provisionalIn } from '../provisional.ts'
import { partOf, wordFor } from '../selected.ts'
import { sentencesOf, withoutOf } from '../sentence.ts'
import { verifierClaim } from '../verifier-claim.ts'
import { html, marked, placeOf } from './escape.ts'
import { describeScenario, describeUniversal } from './exchange.ts'
import { script, style } from './looks.ts'

type RuleResult = ProfileResult['rules'][number]

type Places = ReadonlySet<string>

const STATES = ['broken', 'partly', 'untold', 'kept'] as const

/** The results as one page that asks nobody for anything: verdicts, causes, every rule, and what was said on the wire. */
export function toHtml(results: ConformanceResults): string {
  const { product, suite, started_at: at, profiles, scenarios, faults } = results
  const name = [product.name, product.version].filter(Boolean).join(' ')
  const told = scenarios.filter(isShown)
  const places = placesIn(results)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Conformance of ${html(name)}</title><style>${style}</style></head><body>
<h1>Conformance of ${html(name)}</h1>
<p>${[product.url, product.contact]
    .filter((one) => one !== undefined)
    .map(html)
    .join(', ')}</p>
<p>Judged ${html(at)} by suite ${html(suite.version)}, commit <code>${html(suite.commit ?? 'unknown')}</code>, ${suite.scenarios} scenarios;
rules <code>${html(suite.rules_sha256)}</code>.</p>
${sentencesOf(results)
  .map((sentence) => `<p><b>${html(sentence)}</b></p>`)
  .join('\n')}
<p>${html(verifierClaim(results) ?? '')}</p>
${faults.map((fault) => `<p class="problem">The suite itself failed: ${html(fault)}</p>`).join('\n')}
${describeAnnounced(results)}
${profiles.map((profile) => `${describeProfile(profile, places, results)}${describeProvisional(results, profile.profile, places)}`).join('\n')}
<h2>Every rule</h2>
${filter()}
<table>${head(COLUMNS)}<tbody>
${profiles.flatMap(({ profile, rules }) => rules.map((rule) => describeRule(profile, rule, places))).join('')}</tbody></table>
<h2>On the wire</h2>
<p>What did not pass, with each request and answer. Keys are in none of them.</p>
${profiles.flatMap(universalIn).join('')}${told.map(describeScenario).join('')}
<script>${script}</script></body></html>
`
}

/** What did not pass stands on the page, whether an exchange of it was kept or not. */
function isShown({ problems, verdict }: ConformanceResults['scenarios'][number]): boolean {
  return problems.length > 0 && (verdict === 'fail' || verdict === 'warn' || verdict === 'error')
}

function universalIn({ profile, rules }: ProfileResult): readonly string[] {
  return rules.flatMap((rule) =>
    rule.broken_by
      .filter(({ scenario }) => scenario === UNIVERSAL)
      .map((one) => describeUniversal(profile, rule, one)),
  )
}

/** Every place that a link may lead to. */
function placesIn({ scenarios, profiles }: ConformanceResults): Places {
  const universal = profiles.flatMap(({ profile, rules }) =>
    rules.filter(isUniversallyBroken).map(({ id }) => placeOf(profile, UNIVERSAL, id)),
  )
  return new Set([...scenarios.filter(isShown).map(({ subject, id }) => placeOf(subject, id)), ...universal])
}

function isUniversallyBroken({ broken_by: by }: RuleResult): boolean {
  return by.some(({ scenario }) => scenario === UNIVERSAL)
}

function describeAnnounced(results: ConformanceResults): string {
  const lines = announcedLines(results).map((line) => `<li>${html(line)}</li>`)
  return lines.length === 0 ? '' : `<h2>${ANNOUNCED}</h2><ul>${lines.join('')}</ul>`
}

/** Cells of a row, each with the head of its column, which narrow screens show beside it. */
function cells(
  heads: readonly string[],
  values: readonly string[],
  classes: Readonly<Record<number, string>> = {},
) {
  return values
    .map((value, index) => {
      const own = classes[index] === undefined ? '' : ` class="${classes[index]}"`
      return `<td data-label="${heads[index]}"${own}><span>${value}</span></td>`
    })
    .join('')
}

const COUNTS = ['rules', 'verdict', 'kept', 'broken', 'partly shown', 'untold'] as const
const COLUMNS = ['rule', 'state', 'whose', 'section', 'sentence', 'told by'] as const

function head(names: readonly string[]): string {
  return `<thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead>`
}

function describeProfile(result: ProfileResult, places: Places, results: ConformanceResults): string {
  const { profile, verdict, given, chosen, rules } = result
  const excusedOf = (origin: string) =>
    rules.filter((rule) => rule.origin === origin && isExcused(rule)).length
  const row = (name: string, one: ProfileResult['given']) =>
    `<tr>${cells(
      COUNTS,
      [
        name,
        wordFor(one.verdict, results),
        `${one.rules_kept}`,
        `${one.rules_broken.length}${excusedOf(name) > 0 ? ` (${excusedOf(name)} as announced)` : ''}`,
        `${one.rules_partly.length}`,
        `${one.rules_untold.length}`,
      ],
      { 1: one.verdict },
    )}</tr>`
  const causes = causesApart(result, claimsIn(results), results.scenarios)
  const [claimed, unclaimed] = [causes.claimed, causes.unclaimed].map((some) =>
    some.map((cause) => describeCause(profile, cause, places)).join(''),
  )
  return `<h2>${html(profile)}: <span class="${verdict}">${wordFor(verdict, results)}</span>${withoutOf(result)}${html(partOf(results))}</h2>
<table>${head(COUNTS)}<tbody>
${row('given', given)}${row('chosen', chosen)}</tbody></table>
${claimed && `<h3>What to mend, the costliest first</h3>${claimed}`}
${unclaimed && `<h3>Of rules that are not claimed, which decide nothing</h3>${unclaimed}`}`
}

function describeProvisional(results: ConformanceResults, profile: string, places: Places): string {
  const rows = provisionalIn(results, profile).map(
    ({ id, title, problems }) =>
      `<li>${link(places, profile, id)} ${marked(title)}: ${html(firstLine(problems[0] ?? ''))}</li>`,
  )
  return rows.length === 0 ? '' : `\n<h3>${PROVISIONAL}</h3><ul>${rows.join('')}</ul>`
}

/** Each rule with the checks that broke it, so that one sees what was asked and answered. */
function describeCause(profile: string, cause: Cause, places: Places): string {
  const rows = cause.rules.map(
    (rule) =>
      `<li><b>${html(rule.id)}</b> ${html(rule.section)} ${marked(rule.text)} ${toldBy(profile, rule, places)}</li>`,
  )
  const what = cause.answer === undefined ? '' : `<b>${html(cause.answer)}</b>; first: `
  return `<details><summary><b>${html(nameOf(cause))}</b> breaks ${cause.rules.length}: ${what}${html(firstLine(cause.problem))}</summary>
<ul>${rows.join('')}</ul></details>`
}

function filter(): string {
  const ticks = STATES.map(
    (state) => `<label><input type="checkbox" name="state" value="${state}" checked> ${state}</label>`,
  )
  return `<div class="filter"><input type="search" id="text" aria-label="Text that a rule holds" placeholder="id, section, words">${ticks.join('')}<output id="shown"></output></div>`
}

function describeRule(profile: string, rule: RuleResult, places: Places): string {
  const { id, state, origin, section, text } = rule
  const told = `${state}${isExcused(rule) ? ', as announced' : ''}`
  const values = [html(id), told, origin, html(section), marked(text), toldBy(profile, rule, places)]
  return `<tr data-state="${state}">${cells(COLUMNS, values, { 1: state })}</tr>
`
}

function toldBy(
  profile: string,
  { id, state, held, broken_by: broken, untold_by: gaps }: RuleResult,
  places: Places,
): string {
  if (state === 'broken')
    return [...new Set(broken.map(({ scenario }) => link(places, profile, scenario, id)))].join(', ')
  if (state === 'kept') return held === 1 ? '1 check' : `${held} checks`
  const [first] = gaps
  return first === undefined ? '' : html(`${first.scenario}: ${firstLine(first.reason)}`)
}

/** A link, where there is something that it leads to. */
function link(places: Places, profile: string, scenario: string, rule?: string): string {
  const place = placeOf(profile, scenario, rule)
  return places.has(place) ? `<a href="#${place}">${html(scenario)}</a>` : html(scenario)
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
