import type { Vector } from '#contract'
import { elsewhere } from '../elsewhere.ts'

/** The index of the vectors as JSON, in the form that the formatter leaves alone: coverage counts by it. */
export function describeIndex(vectors: readonly Vector[]): string {
  const entries = vectors.map(({ id, title, rules, expected: { admitted, stage, reason } }) => {
    const members = Object.entries({ id, title, rules, admitted, stage, reason })
    return `    {\n${members.map(([name, value]) => `      ${JSON.stringify(name)}: ${inLine(value)}`).join(',\n')}\n    }`
  })
  const others = Object.entries(elsewhere).map(
    ([reason, where]) => `    ${JSON.stringify(reason)}: ${JSON.stringify(where)}`,
  )
  return `{\n  "vectors": [\n${entries.join(',\n')}\n  ],\n  "elsewhere": {\n${others.join(',\n')}\n  }\n}\n`
}

function inLine(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : JSON.stringify(value)
}
