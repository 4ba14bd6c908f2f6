import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults } from '#contract/models'

type Result = ConformanceResults['scenarios'][number]

const SKIPPED = new Set(['not-supported', 'not-testable', 'disabled'])

/** The results as JUnit's XML: a test suite for each role. */
export function toJUnit({ product, profiles, scenarios }: ConformanceResults): string {
  const suites = profiles.map(({ profile }) => {
    const own = scenarios.filter(({ subject }) => subject === profile)
    const count = (test: (result: Result) => boolean) => own.filter(test).length
    const seconds = own.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1_000
    const attributes =
      `name="${xml(`${product.name} as ${profile}`)}" tests="${own.length}" ` +
      `failures="${count(isFailure)}" errors="${count(({ verdict }) => verdict === 'error')}" ` +
      `skipped="${count(({ verdict }) => SKIPPED.has(verdict))}" time="${seconds.toFixed(3)}"`
    return `  <testsuite ${attributes}>\n${own.map(toCase).join('')}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

function toCase(result: Result): string {
  const { id, title, duration_ms: durationMs } = result
  const folder = id.split('/').slice(0, -1).join('.')
  const attributes = `classname="${xml(folder)}" name="${xml(`${id}: ${title}`)}" time="${(durationMs / 1_000).toFixed(3)}"`
  const inner = outcomeOf(result)
  return inner === ''
    ? `    <testcase ${attributes}/>\n`
    : `    <testcase ${attributes}>${inner}</testcase>\n`
}

function outcomeOf(result: Result): string {
  const text = xml(result.problems.join('\n'))
  const message = xml(result.problems[0] ?? '')
  if (result.expected === 'passed') return '<failure message="It was announced to fail, and passes."/>'
  if (isFailure(result)) return `<failure message="${message}">${text}</failure>`
  if (result.verdict === 'error') return `<error message="${message}">${text}</error>`
  if (SKIPPED.has(result.verdict))
    return `<skipped message="${xml(`${result.verdict}: ${result.problems[0]}`)}"/>`
  if (result.expected === 'failed') return `<skipped message="${xml(`announced failure: ${message}`)}"/>`
  return result.verdict === 'warn' ? `<system-out>${text}</system-out>` : ''
}

function isFailure({ verdict, expected }: Result): boolean {
  return expected === 'passed' || (verdict === 'fail' && expected !== 'failed')
}

function xml(text: string): string {
  const known: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[&<>"]/g, (character) => known[character]!)
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/gu, '\ufffd')
}
