import { readFileSync } from 'node:fs'
import type { ConformanceResults } from '#contract'
import { validators } from '../../generated/suite-validators.js'
import { discover } from '../engine/discover.ts'
import { type Coverage, coverageOf, isGap, type RuleCoverage } from '../report/coverage.ts'

/** What `conformance coverage` takes. */
export interface CoverageOptions {
  readonly results?: string
  readonly json?: true
}

/** `conformance coverage`: which rules have scenarios, and which have none yet. */
export async function coverage({ results, json }: CoverageOptions): Promise<void> {
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const found = coverageOf(scenarios, results === undefined ? undefined : readResults(results))
  if (json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  else process.stdout.write(describe(found))
}

function readResults(file: string): ConformanceResults {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!validators.conformanceResults(value)) throw new Error(`${file} holds no results of this suite.`)
  return value
}

const SUBJECTS = ['router', 'proxy', 'platform', 'client', 'console'] as const
const ORIGINS = ['given', 'chosen'] as const

function describe({ rules, answers, codes }: Coverage): string {
  const rows = SUBJECTS.flatMap((subject) => ORIGINS.map((origin) => row(subject, origin, rules)))
  const gaps = SUBJECTS.flatMap((subject) => {
    const missing = rules.filter((rule) => isGap(rule) && rule.subjects[0] === subject)
    return missing.length === 0 ? [] : [`\n${subject}: rules that nothing shows yet`, ...byTest(missing)]
  })
  return [
    'subject   origin   rules   shown   gaps',
    ...rows.filter((line) => line !== undefined),
    ...gaps,
    ...(answers
      ? [
          '\nstatuses that no passing scenario was answered',
          ...listed(answers, (one) => `${one.operation} ${one.status}`),
        ]
      : [
          '\nFor statuses and codes: conformance run --report-dir DIR, then coverage --results DIR/results.json',
        ]),
    ...(codes ? ['\ncodes that no passing scenario was answered', ...listed(codes, (one) => one.code)] : []),
    '',
  ].join('\n')
}

function row(subject: string, origin: string, rules: readonly RuleCoverage[]): string | undefined {
  const own = rules.filter((rule) => rule.origin === origin && rule.subjects.includes(subject))
  if (own.length === 0) return undefined
  const gaps = own.filter(isGap).length
  const cells = [own.length, own.length - gaps, gaps].map((count) => String(count).padStart(7))
  return `${subject.padEnd(9)} ${origin.padEnd(7)} ${cells.join(' ')}`
}

function byTest(rules: readonly RuleCoverage[]): readonly string[] {
  return (['black-box', 'control', 'vector'] as const).flatMap((test) => {
    const ids = rules
      .filter((rule) => rule.test === test)
      .map(({ id, level }) => (level === 'must' ? id : `${id} (${level})`))
    return ids.length === 0 ? [] : wrapped(`  ${test.padEnd(9)} `, ids)
  })
}

function listed<One extends { readonly count: number }>(
  all: readonly One[],
  name: (one: One) => string,
): readonly string[] {
  return wrapped('  ', all.filter(({ count }) => count === 0).map(name))
}

const WIDTH = 110

function wrapped(head: string, words: readonly string[]): readonly string[] {
  const lines = [head]
  for (const word of words) {
    if (`${lines.at(-1)}${word}, `.length > WIDTH) lines.push(' '.repeat(head.length))
    lines[lines.length - 1] += `${word}, `
  }
  return lines.map((line) => line.replace(/, $/, ''))
}
