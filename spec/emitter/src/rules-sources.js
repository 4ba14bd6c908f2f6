// @ts-check
import { resolvePath } from '@typespec/compiler'
import { bySection } from './rules-place.js'
import { report } from './rules-report.js'
import { parseText } from './rules-text.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./rules-text.js').Section} Section
 */

/** Folders with the contract's text, by the namespace that `@texts` stands on. */
export const FOLDERS = Symbol.for('@router/contract-emitter.texts')

/** What was read of them, once for each program. */
const SECTIONS = Symbol.for('@router/contract-emitter.sections')

/**
 * Reads the contract's text and reports what is malformed in it.
 * @param {Program} program
 * @returns {Promise<readonly Section[]>} in the order of their numbers
 */
export async function readTexts(program) {
  /** @type {Section[]} */
  const all = []
  for (const [target, folder] of program.stateMap(FOLDERS)) {
    const found = await readFolder(program, folder)
    program.stateMap(SECTIONS).set(target, found)
    all.push(...found)
  }
  return all.sort((a, b) => bySection(a.number, b.number))
}

/**
 * What `readTexts` has read before.
 * @param {Program} program
 * @returns {readonly Section[]} in the order of their numbers
 */
export function sectionsOf(program) {
  const sections = /** @type {Section[]} */ ([...program.stateMap(SECTIONS).values()].flat())
  return sections.sort((a, b) => bySection(a.number, b.number))
}

/**
 * @param {Program} program
 * @param {string} folder
 */
async function readFolder(program, folder) {
  const names = (await program.host.readDir(folder)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  const texts = await Promise.all(
    names.sort().map(async (name) => parseText(await program.host.readFile(resolvePath(folder, name)))),
  )
  for (const { code, detail, at } of texts.flatMap(({ problems }) => problems))
    report(program, code, at, detail)
  return texts.flatMap(({ sections }) => sections)
}
