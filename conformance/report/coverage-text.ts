import { type Coverage, isGap, type RuleCoverage } from './coverage.ts'
import type { Gate } from './gate.ts'
import { unprovoked } from './unprovoked.ts'

const SUBJECTS = ['router', 'proxy', 'platform', 'client', 'console'] as const
const ORIGINS = ['given', 'chosen'] as const

/** Coverage for people: a row for each subject, then everything that nothing shows. */
export function describeCoverage({ rules, answers, codes, reasons }: Coverage): string {
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
          ...listed(answers, ({ operation, status }) => nameOf(`${operation} ${status}`)),
        ]
      : [
          '\nFor statuses and codes: conformance run --report-dir DIR, then coverage --results DIR/results.json',
        ]),
    ...(codes ? ['\ncodes that no passing scenario was answered', ...listed(codes, (one) => one.code)] : []),
    '\nreasons that neither a vector nor a passing scenario provoked',
    ...listed(reasons, ({ ground, elsewhere }) => (elsewhere ? `${ground} (another test does)` : ground)),
    '',
  ].join('\n')
}

function nameOf(answer: string): string {
  return unprovoked[answer] ? `${answer} (cannot be provoked)` : answer
}

/** The gate for people. */
export function describeGate({ failures, waiting }: Gate): string {
  const parts = waiting.flatMap(({ feature, gaps }) => [
    `\n${gaps.length} gaps that wait for ${feature}`,
    ...gaps.map((gap) => `  ${gap}`),
  ])
  const verdict =
    failures.length === 0
      ? ['\nNothing is missing that must be shown.']
      : [`\n${failures.length} things must be shown and are not`, ...failures.map((one) => `  ${one}`)]
  return [...parts, ...verdict, ''].join('\n')
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
