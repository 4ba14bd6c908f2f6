import type { ConformanceResults, ProfileResult } from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { ANNOUNCED, announcedLines } from '../announced.ts'
import { whatFailed } from '../faults.ts'
import { describeOptions } from '../markdown.ts'
import { sentencesOf } from '../sentence.ts'
import { verifierClaim } from '../verifier-claim.ts'
import { html, placeOf } from './escape.ts'
import { describeScenario, describeUniversal } from './exchange.ts'
import { style } from './looks.ts'
import { isShown, placesIn } from './places.ts'
import { describeRules } from './rules.ts'
import { script } from './script.ts'
import { describeNoticed, describeProfile } from './verdict.ts'
import { describeWords } from './words.ts'

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
<h1 id="top">Conformance of ${html(name)}</h1>
<p>${[product.url, product.contact]
    .filter((one) => one !== undefined)
    .map(address)
    .join(', ')}</p>
<p>Judged ${html(at)} by suite ${html(suite.version)}, commit <code>${html(suite.commit ?? 'unknown')}</code>, ${suite.scenarios} scenarios;
rules <code>${html(suite.rules_sha256)}</code>.</p>
<p>Run with ${html(describeRunOf(results))}.</p>
${sentencesOf(results)
  .map((sentence) => `<p><b>${html(sentence)}</b></p>`)
  .join('\n')}
${profiles.map(describeCounts).join('\n')}
<p>${html(verifierClaim(results) ?? '')}</p>
${describeWords()}
<nav aria-label="Contents">${contents(profiles)}</nav>
${faults.map((fault) => `<p class="problem">${whatFailed(fault)}: ${html(fault)}</p>`).join('\n')}
${describeAnnounced(results)}
${profiles.map((profile) => `${describeProfile(profile, places, results)}${describeNoticed(results, profile.profile, places)}`).join('\n')}
<h2 id="rules">Every rule</h2>
${describeRules(results, places)}
<p><a href="#top">To the top</a></p>
<h2 id="wire">On the wire</h2>
<p>What did not pass, with each request and answer. Keys are in none of them. The suite sees the client’s side;
what went on between the router and its model is told by <code>conformance replay</code>, which stands in each entry.</p>
${profiles.flatMap((one) => universalIn(one, profiles)).join('')}${told.map((one) => describeScenario(one, results)).join('')}
<p><a href="#top">To the top</a></p>
<script>${script}</script></body></html>
`
}

function universalIn(
  { profile, rules }: ProfileResult,
  profiles: readonly ProfileResult[],
): readonly string[] {
  return rules.flatMap((rule) =>
    rule.broken_by
      .filter(({ scenario }) => scenario === UNIVERSAL)
      .map((one) => describeUniversal(profiles, profile, rule, one)),
  )
}

/** What a product says of where it lives: a link, where it is an address of a page. */
function address(text: string): string {
  const isPage = /^https?:/i.test(text) && URL.canParse(text)
  return isPage ? `<a href="${html(new URL(text).href)}" rel="noreferrer">${html(text)}</a>` : html(text)
}

/** What the target file names, and the options; where the product's own configuration is. */
function describeRunOf(results: ConformanceResults): string {
  const { claims, features, hooks } = results.target
  const named = (what: string, list: readonly string[]) => `${what} ${list.join(', ') || 'none'}`
  return `${named('claims', claims)}; ${named('features', features)}; ${named('hooks', hooks)}; ${describeOptions(results)}. How the product itself was configured is not known here: it belongs beside the report`
}

/** What the sentence above counts together, apart: what is partly shown or untold is no failure. */
function describeCounts({ profile, given }: ProfileResult): string {
  const { rules_kept: kept, rules_broken: broken, rules_partly: partly, rules_untold: untold } = given
  return `<p>The given rules of the ${html(profile)}: ${kept} kept, <b>${broken.length} broken</b>, ${partly.length} partly shown, ${untold.length} untold. The last two are no failures.</p>`
}

function contents(profiles: readonly ProfileResult[]): string {
  const roles = profiles.map(
    ({ profile }) => `<a href="#${placeOf(profile, 'verdict')}">${html(profile)}: what to mend</a>`,
  )
  const others = [
    '<a href="#rules">every rule</a>',
    '<a href="#wire">on the wire</a>',
    '<a href="#words">words</a>',
  ]
  return [...roles, ...others].join(' · ')
}

function describeAnnounced(results: ConformanceResults): string {
  const lines = announcedLines(results).map((line) => `<li>${html(line)}</li>`)
  return lines.length === 0 ? '' : `<h2>${ANNOUNCED}</h2><ul>${lines.join('')}</ul>`
}
