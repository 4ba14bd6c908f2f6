import { join } from 'node:path'
import { writeAndTell } from '#base/tree.ts'
import type { RuleId } from '#contract/rules'
import { catalogue, ruleTexts } from '../../conformance/engine/rules.ts'
import { faults as verifierFaults } from '../verifier/faults.ts'
import { demanded } from './demanded.ts'
import { faults } from './faults.ts'
import { without } from './without.ts'

const NAME = 'docs/kill-matrix.md'

/** The file of the page. */
export const PAGE = join(import.meta.dirname, '..', '..', NAME)

const HEAD = `# Which fault shows which rule

\`npm run selftest\` plants each fault of [mutants/live](../mutants/README.md) into the running reference and finds it by the
scenarios that stand here, or fails; \`mutants/verifier\` does the same with the vectors. A fault of a given rule is found by
a check that follows from the given specification alone. This page is written by \`npm run generate\`.

| rule | whose | what it says | faults, and what finds each |
|---|---|---|---|
`

/** The page: rule by rule the faults that break it, and what finds them. */
export function makeMatrix(): string {
  const known = Object.keys(catalogue) as RuleId[]
  const rows = known.flatMap((rule) => {
    const found = killsOf(rule)
    const cells = [rule, catalogue[rule].origin, escaped(ruleTexts.get(rule) ?? '')]
    return found.length === 0 ? [] : [`| ${[...cells, found.join('<br>')].join(' | ')} |\n`]
  })
  return `${HEAD}${rows.join('')}${excused()}`
}

function killsOf(rule: RuleId): readonly string[] {
  const live = faults
    .filter(({ violates }) => violates.includes(rule))
    .map(({ id, expectKilledBy }) => `${id}: ${expectKilledBy.join(', ')}`)
  const vectors = verifierFaults
    .filter(({ violates }) => violates.includes(rule))
    .map(({ id, expectKilledBy }) => `${id}: ${expectKilledBy.length} vectors`)
  return [...live, ...vectors]
}

/** The given rules that have none, each with the reason. */
function excused(): string {
  const rows = demanded.flatMap((rule) => {
    const reason = without[rule]
    return reason === undefined
      ? []
      : [`| ${rule} | ${escaped(ruleTexts.get(rule) ?? '')} | ${escaped(reason)} |\n`]
  })
  if (rows.length === 0) return ''
  return `\n## Given rules without a fault\n\n| rule | what it says | why |\n|---|---|---|\n${rows.join('')}`
}

/** A text as a cell: places of the contract are named on its own pages alone. */
function escaped(text: string): string {
  return text
    .replace(/ \(\u00a7[\d.]*\)/g, '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
}

// A part of `npm run generate`; that it is up to date is tested.
if (import.meta.main) {
  await writeAndTell(PAGE, makeMatrix(), NAME)
  console.log(`${NAME} is up to date.`)
}
