// @ts-check
import { getDoc } from '@typespec/compiler'
import { getHeaderFieldName } from '@typespec/http'
import { errorsPage } from './errors-page.js'
import { reportDiagnostic, stateKeys } from './lib.js'
import { comment, key, list, oneLine, text, writeModule, writeText } from './output.js'

/**
 * @typedef {import('./decorators.js').Row} Row
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {{ code: string, doc: string | undefined, remedy: string, status: number, type: string,
 *   origin: 'given' | 'chosen', headers: string[] }} Entry
 */

/**
 * Writes the error registry: what follows from a code, and a page that says what to do about it.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitErrors(context) {
  const entries = collectErrors(context.program)
  await writeModule(context, 'errors.ts', errorsModule(entries))
  await writeText(context, 'errors.md', errorsPage(entries))
}

/**
 * Every code with its one row, by status and then as written.
 * @param {Program} program
 * @returns {Entry[]}
 */
function collectErrors(program) {
  /** @type {Map<string, { model: import('@typespec/compiler').Model, entry: Entry }>} */
  const seen = new Map()
  for (const [model, row] of rowsOf(program)) {
    if (row.status < 400 || row.status > 599) {
      reportDiagnostic(program, { code: 'not-a-status', format: { status: `${row.status}` }, target: model })
    }
    for (const member of row.codes.members.values()) {
      const first = seen.get(member.name)
      if (first) {
        const format = { code: member.name, first: first.model.name, second: model.name }
        reportDiagnostic(program, { code: 'duplicate-code', format, target: model })
        continue
      }
      seen.set(member.name, { model, entry: entryOf(program, row, member) })
    }
  }
  return [...seen.values()].map(({ entry }) => entry).sort((a, b) => a.status - b.status)
}

/**
 * @param {Program} program
 * @returns {[import('@typespec/compiler').Model, Row][]}
 */
function rowsOf(program) {
  return /** @type {[import('@typespec/compiler').Model, Row][]} */ ([...program.stateMap(stateKeys.rows)])
}

/**
 * @param {Program} program
 * @param {Row} row
 * @param {import('@typespec/compiler').EnumMember} member
 * @returns {Entry}
 */
function entryOf(program, row, member) {
  const doc = getDoc(program, member)
  if (!doc) reportDiagnostic(program, { code: 'no-meaning', format: { name: member.name }, target: member })
  const remedy = program.stateMap(stateKeys.remedies).get(member)
  if (!remedy) reportDiagnostic(program, { code: 'no-remedy', format: { name: member.name }, target: member })
  const headers = [...row.headers.properties.values()]
    .filter((property) => !property.optional)
    .map((property) => getHeaderFieldName(program, property))
  const origin = program.stateSet(stateKeys.chosen).has(member) ? 'chosen' : 'given'
  return {
    code: member.name,
    doc,
    remedy: oneLine(remedy ?? ''),
    status: row.status,
    type: row.type,
    origin,
    headers,
  }
}

/** @param {Entry[]} entries */
function errorsModule(entries) {
  const rows = entries.map(
    ({ code, doc, status, type, origin, headers }) =>
      comment(doc, '  ') +
      `  ${key(code)}: {\n    status: ${status},\n    type: ${text(type)},\n` +
      `    origin: ${text(origin)},\n    headers: ${list(headers)},\n  },\n`,
  )
  return `/** What follows from an error code: the status, the type and the headers that must go with it. */
export const errors = {
${rows.join('')}} as const satisfies Record<string, ErrorEntry>

/** One code of the registry. */
export type ErrorCode = keyof typeof errors

/** What the registry knows of a code; \`chosen\` ones are not in the given specification. */
export interface ErrorEntry {
  readonly status: number
  readonly type: string
  readonly origin: 'given' | 'chosen'
  readonly headers: readonly string[]
}
`
}
