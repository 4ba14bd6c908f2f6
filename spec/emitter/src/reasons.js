// @ts-check
import { getDoc } from '@typespec/compiler'
import { reportDiagnostic, stateKeys } from './lib.js'
import { comment, key, oneLine, text, writeModule, writeText } from './output.js'
import { anchorOf, reasonsPage } from './reasons-page.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/compiler').Enum} Enum
 * @typedef {import('@typespec/compiler').EnumMember} Member
 * @typedef {{ stage: string, doc: string, reasons: { slug: string, meaning: string, remedy: string }[] }} Stage
 */

/**
 * Writes the catalogue of refusals, stage, reason, meaning, remedy: once for programs and once as a page.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitReasons(context) {
  const stages = collectReasons(context.program)
  await writeModule(context, 'reasons.ts', reasonsModule(stages))
  await writeText(context, 'reasons.md', reasonsPage(stages))
}

/**
 * The stages in the order of the verification, each with its reasons.
 * @param {Program} program
 * @returns {Stage[]}
 */
function collectReasons(program) {
  /** @type {Map<Member, Enum>} */
  const byStage = new Map()
  /** @type {Enum | undefined} */
  let stages
  for (const [target, member] of program.stateMap(stateKeys.reasons)) {
    const stage = /** @type {Member} */ (member)
    if (byStage.has(stage)) {
      reportDiagnostic(program, { code: 'duplicate-stage', format: { stage: stage.name }, target })
    }
    byStage.set(stage, /** @type {Enum} */ (target))
    stages = stage.enum
  }
  return [...(stages?.members.values() ?? [])].map((stage) => stageOf(program, stage, byStage.get(stage)))
}

/**
 * @param {Program} program
 * @param {Member} stage
 * @param {Enum | undefined} reasons
 * @returns {Stage}
 */
function stageOf(program, stage, reasons) {
  if (!reasons) {
    reportDiagnostic(program, { code: 'stage-without-reasons', format: { stage: stage.name }, target: stage })
  }
  return {
    stage: stage.name,
    doc: meaningOf(program, stage),
    reasons: [...(reasons?.members.values() ?? [])].map((member) => ({
      slug: member.name,
      meaning: meaningOf(program, member),
      remedy: remedyOf(program, member),
    })),
  }
}

/**
 * @param {Program} program
 * @param {Member} member
 */
function meaningOf(program, member) {
  const doc = getDoc(program, member)
  if (!doc) reportDiagnostic(program, { code: 'no-meaning', format: { name: member.name }, target: member })
  return oneLine(doc ?? '')
}

/**
 * @param {Program} program
 * @param {Member} member
 * @returns {string}
 */
function remedyOf(program, member) {
  const remedy = program.stateMap(stateKeys.remedies).get(member)
  if (!remedy) reportDiagnostic(program, { code: 'no-remedy', format: { name: member.name }, target: member })
  return /** @type {string | undefined} */ (remedy) ?? ''
}

/** @param {Stage[]} stages */
function reasonsModule(stages) {
  const sections = stages.map(
    ({ stage, doc, reasons }) =>
      `${comment(doc, '  ')}  ${key(stage)}: {\n${reasons.map((reason) => entry(stage, reason)).join('')}  },\n`,
  )
  return `/** Why a verifier refuses, by stage: what each reason means and what mends it. */
export const reasons = {
${sections.join('')}} as const satisfies Record<string, Record<string, ReasonEntry>>

/** The stages of a verification, in their order; the last one stands for a verdict that is not there. */
export const stages = [
${stages.map(({ stage }) => `  ${text(stage)},\n`).join('')}] as const satisfies readonly Stage[]

/** One stage, as the user's proxy names it. */
export type Stage = keyof typeof reasons

/** One stage as it stands in an answer: the router puts \`upstream-\` before it. */
export type WireStage = Stage | \`upstream-\${Stage}\`

/** The reasons of one stage. */
export type ReasonOf<S extends Stage> = S extends Stage ? keyof (typeof reasons)[S] : never

/** One reason of any stage. */
export type Reason = ReasonOf<Stage>

/** What the catalogue says of a reason. */
export interface ReasonEntry {
  readonly meaning: string
  readonly remedy: string
  /** Where it stands in generated/reasons.md. */
  readonly anchor: string
}
`
}

/**
 * @param {string} stage
 * @param {Stage['reasons'][number]} reason
 */
function entry(stage, { slug, meaning, remedy }) {
  const members = { meaning, remedy, anchor: anchorOf(stage, slug) }
  const lines = Object.entries(members).map(([name, value]) => `      ${name}: ${text(value)},\n`)
  return `    ${key(slug)}: {\n${lines.join('')}    },\n`
}
