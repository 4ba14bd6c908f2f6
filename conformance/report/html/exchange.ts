import type {
  ConformanceResults,
  ProfileResult,
  RecordedExchange,
  RuleBreak,
  ScenarioResult,
} from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { ANSWERS } from '../causes.ts'
import { LEFT_OUT } from '../exchange.ts'
import { toCurl } from './curl.ts'
import { html, marked, placeOf } from './escape.ts'
import { describeFinds } from './finds.ts'
import { linkToRule } from './places.ts'

/** A scenario that did not pass: what was found, and every request and answer of it. */
export function describeScenario(scenario: ScenarioResult, results: ConformanceResults): string {
  const { id, subject, title, verdict, problems, exchanges } = scenario
  return `<details class="entry" id="${placeOf(subject, id)}"><summary><b>${html(id)}</b> ${html(verdict)} at the ${html(subject)}: ${marked(title)}</summary>
<p>${describeFinds(scenario, results)}</p>
<p>Once more, with what the scripted model was told and received: <code>conformance replay ${html(id)} --target FILE</code></p>
<pre class="problem">${html(problems.join('\n'))}</pre>
${exchanges.map(describeExchange).join('') || '<p>No exchange of it was kept.</p>\n'}</details>
`
}

/** A rule that exchanges broke whatever their scenarios were about: how often, and the first exchange that did. */
export function describeUniversal(
  profiles: readonly ProfileResult[],
  profile: string,
  { id, text }: ProfileResult['rules'][number],
  { problem, count, example }: RuleBreak,
): string {
  const times = count === 1 ? 'in one answer or event of a stream' : `in ${count} ${ANSWERS}`
  return `<details class="entry" id="${placeOf(profile, UNIVERSAL, id)}"><summary><b>universal, ${html(id)}</b> ${times} at the ${html(profile)}: ${marked(text)}</summary>
<p>Breaks ${linkToRule(profiles, profile, id)}. Every exchange is held to it, whatever its scenario is about. The first that broke it:</p>
<pre class="problem">${html(problem)}</pre>
${example === undefined ? '<p>No exchange of it was kept.</p>\n' : describeExchange(example, 0)}</details>
`
}

function describeExchange(exchange: RecordedExchange, index: number): string {
  const { request, request_headers: sent, request_body: body, status, headers, ending } = exchange
  return `<section><h4>${index + 1}. ${html(request)} → ${status ?? 'no answer'}</h4>
<p><code class="curl">${html(toCurl(exchange))}</code></p>
${headersOf('sent', sent)}${bodyOf(body)}
<p>${status ?? 'no answer'} (${html(ending)})</p>
${headersOf('received', headers)}${bodyOf(exchange.body)}
${timeline(exchange)}</section>
`
}

/** Headers are closed: what a check found mostly stands in the body. */
function headersOf(what: string, headers: Readonly<Record<string, unknown>>): string {
  const count = Object.keys(headers).length
  if (count === 0) return ''
  return `<details><summary>${count} ${count === 1 ? 'header' : 'headers'} ${what}</summary><pre>${html(lines(headers))}</pre></details>`
}

function bodyOf(body: string): string {
  if (body === '') return ''
  const cut = /…$/.test(body) ? CUT : body.includes(LEFT_OUT) ? WITH_END : ''
  return `<pre class="body">${html(body)}</pre>${cut && `<p class="times">${cut}</p>`}`
}

const CUT = 'The report keeps the beginning of this body alone: what was found may stand behind the “…”.'
const WITH_END = 'The report keeps the beginning and the end of this body.'

function lines(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}\n`)
    .join('')
}

/** When what arrived: a stroke for each read, from the request to the end. */
function timeline({ reads, head_ms: headMs, end_ms: endMs }: RecordedExchange): string {
  if (reads.length < 2) return ''
  const end = Math.max(endMs ?? 0, reads.at(-1)!.at_ms, 1)
  const strokes = reads.map(({ at_ms: atMs, bytes }) => {
    const x = ((atMs / end) * 100).toFixed(2)
    return `<rect x="${x}%" width="2" height="16"><title>${atMs} ms, ${bytes} bytes</title></rect>`
  })
  return `<svg class="timeline" role="img" aria-label="${reads.length} reads in ${end} ms" height="16" width="100%">${strokes.join('')}</svg>
<p class="times">head after ${headMs ?? '–'} ms, ${reads.length} reads, end after ${end} ms</p>
`
}
