// @ts-check
import { getDoc } from '@typespec/compiler'
import { reportDiagnostic, stateKeys } from './lib.js'
import { comment, key, writeModule } from './output.js'

/**
 * Writes the limits as named constants; the unit ends each name.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitLimits(context) {
  const limits = collectLimits(context.program)
  const lines = limits.map(
    ({ name, doc, value }) => `${comment(doc, '  ')}  ${key(name)}: ${grouped(value)},\n`,
  )
  const module = `/** Limits and defaults; the unit ends each name, and those without one are counts. */
export const limits = {\n${lines.join('')}} as const

/** The name of one limit. */
export type LimitName = keyof typeof limits
`
  await writeModule(context, 'limits.ts', module)
}

/**
 * @param {import('@typespec/compiler').Program} program
 * @returns {{ name: string, doc: string | undefined, value: number }[]}
 */
function collectLimits(program) {
  const members = [...program.stateSet(stateKeys.limits)].flatMap((target) => [
    .../** @type {import('@typespec/compiler').Enum} */ (target).members.values(),
  ])
  const seen = new Set()
  return members.map((member) => {
    const { name, value } = member
    const doc = getDoc(program, member)
    if (!Number.isSafeInteger(value)) {
      reportDiagnostic(program, { code: 'not-a-limit', format: { name }, target: member })
    }
    if (seen.has(name))
      reportDiagnostic(program, { code: 'duplicate-limit', format: { name }, target: member })
    if (!doc) reportDiagnostic(program, { code: 'no-meaning', format: { name }, target: member })
    seen.add(name)
    return { name, doc, value: Number(value) }
  })
}

/** @param {number} value */
function grouped(value) {
  return `${value}`.replace(/\B(?=(\d{3})+$)/g, '_')
}
