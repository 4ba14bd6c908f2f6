import type { Found } from '../engine/discover.ts'
import { differentialRules, originOf } from '../engine/rules.ts'

/** The index of the scenarios as JSON, in the form that the formatter leaves alone: the page of the rules joins it. */
export function describeIndex(found: readonly Found[]): string {
  const entries = found.map(({ file, scenario: { id, title, rules, needs, subjects, isCompared } }) => {
    const compared = isCompared && subjects.includes('proxy')
    const members = { id, file, title, origin: originOf(rules), rules, needs, subjects, compared }
    const lines = Object.entries(members).map(([name, value]) => memberLine(name, value))
    return `    {\n${lines.join(',\n')}\n    }`
  })
  const comparison = differentialRules.map((rule) => JSON.stringify(rule)).join(', ')
  return `{\n  "comparison": [${comparison}],\n  "scenarios": [\n${entries.join(',\n')}\n  ]\n}\n`
}

const WIDTH = 110

function memberLine(name: string, value: string | boolean | readonly string[]): string {
  const head = `      ${JSON.stringify(name)}: `
  if (typeof value !== 'object') return `${head}${JSON.stringify(value)}`
  const items = value.map((item) => JSON.stringify(item))
  const line = `${head}[${items.join(', ')}]`
  if (line.length < WIDTH) return line
  return `${head}[\n${items.map((item) => `        ${item}`).join(',\n')}\n      ]`
}
