import type { ConformanceResults, ProfileResult } from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { ANNOUNCED, announcedLines } from '../announced.ts'
import { sentencesOf } from '../sentence.ts'
import { verifierClaim } from '../verifier-claim.ts'
import { html } from './escape.ts'
import { describeScenario, describeUniversal } from './exchange.ts'
import { script, style } from './looks.ts'
import { isShown, placesIn } from './places.ts'
import { describeRules } from './rules.ts'
import { describeNoticed, describeProfile } from './verdict.ts'

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
${profiles.map((profile) => `${describeProfile(profile, places, results)}${describeNoticed(results, profile.profile, places)}`).join('\n')}
<h2>Every rule</h2>
${describeRules(profiles, places)}
<h2>On the wire</h2>
<p>What did not pass, with each request and answer. Keys are in none of them.</p>
${profiles.flatMap(universalIn).join('')}${told.map(describeScenario).join('')}
<script>${script}</script></body></html>
`
}

function universalIn({ profile, rules }: ProfileResult): readonly string[] {
  return rules.flatMap((rule) =>
    rule.broken_by
      .filter(({ scenario }) => scenario === UNIVERSAL)
      .map((one) => describeUniversal(profile, rule, one)),
  )
}

function describeAnnounced(results: ConformanceResults): string {
  const lines = announcedLines(results).map((line) => `<li>${html(line)}</li>`)
  return lines.length === 0 ? '' : `<h2>${ANNOUNCED}</h2><ul>${lines.join('')}</ul>`
}
