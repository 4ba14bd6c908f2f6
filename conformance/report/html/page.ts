import type { ConformanceResults, ProfileResult } from '#contract/models'
import type { Origin } from '../../engine/rules.ts'
import { type Cause, causesApart, nameOf } from '../causes.ts'
import { claimsIn } from '../claims.ts'
import { PROVISIONAL, provisionalIn } from '../provisional.ts'
import { partOf, wordFor } from '../selected.ts'
import { sentencesOf, withoutOf } from '../sentence.ts'
import { verifierClaim } from '../verifier-claim.ts'
import { html, placeOf } from './escape.ts'
import { describeScenario } from './exchange.ts'
import { script, style } from './looks.ts'

type RuleResult = ProfileResult['rules'][number]

const STATES = ['broken', 'partly', 'untold', 'kept'] as const

/** The results as one page that asks nobody for anything: verdicts, causes, every rule, and what was said on the wire. */
export function toHtml(results: ConformanceResults): string {
  const { product, suite, started_at: at, profiles, scenarios, faults } = results
  const name = [product.name, product.version].filter(Boolean).join(' ')
  const told = scenarios.filter(({ exchanges, problems }) => exchanges.length > 0 && problems.length > 0)
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
${profiles.map((profile) => `${describeProfile(profile, claimsIn(results), results)}${describeProvisional(results, profile.profile)}`).join('\n')}
<h2>Every rule</h2>
${filter()}
<table><thead><tr><th>rule</th><th>state</th><th>whose</th><th>section</th><th>sentence</th><th>told by</th></tr></thead><tbody>
${profiles.flatMap(({ profile, rules }) => rules.map((rule) => describeRule(profile, rule))).join('')}</tbody></table>
<h2>On the wire</h2>
<p>What did not pass, with each request and answer. Keys are in none of them.</p>
${told.map(describeScenario).join('')}
<script>${script}</script></body></html>
`
}

function describeProfile(
  result: ProfileResult,
  claims: readonly Origin[],
  results: ConformanceResults,
): string {
  const { profile, verdict, given, chosen, rules } = result
  const row = (name: string, one: ProfileResult['given']) =>
    `<tr><td>${name}</td><td class="${one.verdict}">${wordFor(one.verdict, results)}</td><td>${one.rules_kept}</td><td>${one.rules_broken.length}</td><td>${one.rules_partly.length}</td><td>${one.rules_untold.length}</td></tr>`
  const causes = causesApart(rules, claims)
  const [claimed, unclaimed] = [causes.claimed, causes.unclaimed].map((some) =>
    some.map((cause) => describeCause(profile, cause)).join(''),
  )
  return `<h2>${html(profile)}: <span class="${verdict}">${wordFor(verdict, results)}</span>${withoutOf(result)}${html(partOf(results))}</h2>
<table><thead><tr><th>rules</th><th>verdict</th><th>kept</th><th>broken</th><th>partly shown</th><th>untold</th></tr></thead><tbody>
${row('given', given)}${row('chosen', chosen)}</tbody></table>
${claimed && `<h3>What to mend, the costliest first</h3>${claimed}`}
${unclaimed && `<h3>Of rules that are not claimed, which decide nothing</h3>${unclaimed}`}`
}

function describeProvisional(results: ConformanceResults, profile: string): string {
  const rows = provisionalIn(results, profile).map(
    ({ id, title, problems }) =>
      `<li>${link(profile, id)} ${html(title)}: ${html(firstLine(problems[0] ?? ''))}</li>`,
  )
  return rows.length === 0 ? '' : `\n<h3>${PROVISIONAL}</h3><ul>${rows.join('')}</ul>`
}

function describeCause(profile: string, cause: Cause): string {
  return `<details><summary><b>${html(nameOf(cause))}</b> breaks ${cause.rules.length}: ${html(firstLine(cause.problem))}</summary>
<p>${link(profile, cause.scenario)}</p><ul>${cause.rules.map(({ id, section, text }) => `<li><b>${html(id)}</b> ${html(section)} ${html(text)}</li>`).join('')}</ul></details>`
}

function filter(): string {
  const ticks = STATES.map(
    (state) => `<label><input type="checkbox" name="state" value="${state}" checked> ${state}</label>`,
  )
  return `<div class="filter"><input type="search" id="text" aria-label="Text that a rule holds" placeholder="id, section, words">${ticks.join('')}<output id="shown"></output></div>`
}

function describeRule(profile: string, rule: RuleResult): string {
  const { id, state, origin, section, text } = rule
  return `<tr data-state="${state}"><td>${html(id)}</td><td class="${state}">${state}</td><td>${origin}</td><td>${html(section)}</td><td>${html(text)}</td><td>${toldBy(profile, rule)}</td></tr>
`
}

function toldBy(profile: string, { state, held, broken_by: broken, untold_by: gaps }: RuleResult): string {
  if (state === 'broken')
    return [...new Set(broken.map(({ scenario }) => link(profile, scenario)))].join(', ')
  if (state === 'kept') return held === 1 ? '1 check' : `${held} checks`
  const [first] = gaps
  return first === undefined ? '' : html(`${first.scenario}: ${firstLine(first.reason)}`)
}

function link(profile: string, scenario: string): string {
  return `<a href="#${placeOf(profile, scenario)}">${html(scenario)}</a>`
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
