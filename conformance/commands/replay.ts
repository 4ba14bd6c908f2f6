import { randomInt } from 'node:crypto'
import { shorten, visible } from '#base/foreign-text.ts'
import { complain } from '#base/print.ts'
import type { RecordedExchange } from '#contract/models'
import type { Received } from '../engine/backend.ts'
import { discover } from '../engine/discover.ts'
import { createHooks } from '../engine/hooks.ts'
import type { Outcome } from '../engine/outcome.ts'
import { runSuite } from '../engine/suite.ts'
import { loadTarget, type Subject } from '../engine/target.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'
import { describeExchange } from '../report/exchange.ts'
import { toCurl } from '../report/html/curl.ts'
import { EXIT } from './exit.ts'
import { redactorOf } from './secrets.ts'

/** What `conformance replay` takes. */
export interface ReplayOptions {
  readonly target: string
  readonly profile: Subject | 'all'
  readonly seed?: number
}

/** Seeds stay short enough to be typed (ours). */
const MAX_SEED = 1_000_000

/** `conformance replay`: runs one scenario and shows all that was said on the wire, whatever its verdict. */
export async function replay(
  id: string,
  { target: file, profile, seed = randomInt(MAX_SEED) }: ReplayOptions,
) {
  const target = loadTarget(file, process.env)
  if (id === UNIVERSAL) return refuse(ABOUT_UNIVERSAL)
  const found = (await discover()).find(({ scenario }) => scenario.id === id)
  const profiles = target.profiles.filter((one) => profile === 'all' || one === profile)
  const wanted = profiles.filter((one) => found?.scenario.subjects.includes(one))
  if (found === undefined || wanted.length === 0) {
    return refuse(
      found ? `It does not run at this target’s ${profile}.` : `There is no scenario ${id}: see list.`,
    )
  }
  const redactor = redactorOf(target)
  const faults: unknown[] = []
  const halves: string[] = []
  const outcomes = await runSuite({
    ...{ scenarios: [found.scenario], target, profiles: wanted, jobs: 1, seed, isSlow: true },
    ...{ isJudging: true, hooks: createHooks(target.hooks), tellSecret: redactor.add },
    onFault: (thrown) => faults.push(thrown),
    onBackend: (scripts, received) => halves.push(describeBackend(scripts, received)),
  })
  process.stdout.write(
    redactor.redact(
      `${found.scenario.title}.\nseed ${seed}\n${halves.join('')}${outcomes.map(describe).join('')}`,
    ),
  )
  process.exitCode = exitCodeOf(outcomes, faults.length > 0)
}

const ABOUT_UNIVERSAL =
  'universal is no scenario: it is what every exchange is held to, whichever scenario makes it. report.html shows of each of its rules how often it was broken, and the first exchange that broke it; replay of any scenario names what of its own exchanges did.'

function refuse(why: string): void {
  complain(why)
  process.exitCode = EXIT.usage
}

/** The other half of what was said: between the router and the scripted model. */
function describeBackend(scripts: readonly object[], received: readonly Received[]): string {
  const told = scripts.map((rule) => `  the model was told: ${JSON.stringify(rule)}`)
  const asked = received.flatMap(({ method, path, body, outcome, chunksSent }, index) => [
    `  the model received ${index + 1}. ${method} ${path}, ${outcome}, ${chunksSent} chunks sent`,
    `    > ${body}`,
  ])
  const lines = [...told, ...asked].flatMap((line) => line.split('\n'))
  return `\nAt the scripted model:\n${lines.map((line) => `${shorten(line, MAX_COLUMNS)}\n`).join('')}`
}

function exitCodeOf(outcomes: readonly Outcome[], isAtFault: boolean): number {
  const verdicts = outcomes.map(({ verdict }) => verdict)
  if (isAtFault || verdicts.includes('error')) return EXIT.error
  if (verdicts.includes('fail')) return EXIT.failing
  return verdicts.every((verdict) => verdict === 'pass' || verdict === 'warn')
    ? EXIT.conformant
    : EXIT.partial
}

function describe({ scenario, subject, verdict, problems, violations = [], exchanges }: Outcome): string {
  const told = exchanges.map((exchange, index) => wire(describeExchange(exchange), index + 1))
  const found = problems.flatMap((problem) => problem.split('\n')).map((line) => `  | ${visible(line)}\n`)
  const beside = new Set(
    violations.map(({ rules, problem }) => `  universal: ${rules.join(', ')}: ${visible(problem)}\n`),
  )
  return `\n${told.join('')}${[...beside].join('')}${verdict} ${scenario.id} (${subject})\n${found.join('')}`
}

function wire(exchange: RecordedExchange, number: number): string {
  const { request, request_headers: sent, request_body: asked, status, headers, body, ending } = exchange
  const lines = [
    `${number}. ${request}`,
    ...linesOf(sent, asked).map((line) => `  > ${line}`),
    `  ${status ?? 'no answer'} after ${exchange.head_ms ?? '–'} ms, ${ending} after ${exchange.end_ms} ms, ${exchange.reads.length} reads`,
    ...linesOf(headers, body).map((line) => `  < ${line}`),
    `  $ ${toCurl(exchange)}`,
  ]
  return `${lines.map((line) => shorten(line, MAX_COLUMNS)).join('\n')}\n\n`
}

/** So much of a line is shown (ours): a body may stand on one. */
const MAX_COLUMNS = 2_000

function linesOf(headers: Readonly<Record<string, unknown>>, body: string): readonly string[] {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  return [...named, ...(body === '' ? [] : ['', ...body.split('\n')])]
}
