// @ts-check
import { getDoc } from '@typespec/compiler'
import { byCodeUnit, oneLine } from './output.js'
import { MARKS } from './rules-decorators.js'
import { sectionsOf } from './rules-sources.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./rules-decorators.js').Mark} Mark
 * @typedef {import('./rules-text.js').Section} Section
 * @typedef {{ readonly id: string, readonly origin: string, readonly ref: string, readonly level: string,
 *   readonly subjects: readonly string[], readonly test: string, readonly reason?: string,
 *   readonly text: string }} Rule
 * @typedef {{ readonly prefix: string, readonly text: string, readonly count: number }} Topic
 * @typedef {{ readonly rules: readonly Rule[], readonly sections: readonly Section[],
 *   readonly topics: readonly Topic[] }} Catalogue
 */

/**
 * All rules of a program in the order of the text: what was given, then what was chosen.
 * @param {Program} program
 * @returns {Catalogue}
 */
export function catalogueOf(program) {
  const sections = sectionsOf(program)
  const rules = marksOf(program).map(([member, mark]) => ruleOf(program, member, mark))
  return { rules: inOrder(rules, sections), sections, topics: topicsOf(program) }
}

/**
 * Every rule as it stands in the sources.
 * @param {Program} program
 * @returns {readonly (readonly [import('@typespec/compiler').EnumMember, Mark])[]}
 */
export function marksOf(program) {
  return [.../** @type {Map<any, Mark>} */ (program.stateMap(MARKS))]
}

/**
 * @param {Program} program
 * @param {import('@typespec/compiler').EnumMember} member
 * @param {Mark} mark
 * @returns {Rule}
 */
function ruleOf(program, member, { origin, ref, level, subjects, test, reason }) {
  const text = oneLine(getDoc(program, member) ?? '')
  return { id: member.name, origin, ref, level, subjects, test, ...(reason && { reason }), text }
}

/**
 * The rules as their words stand in the text.
 * @param {Rule[]} rules
 * @param {readonly Section[]} sections
 */
function inOrder(rules, sections) {
  const items = new Map(
    sections.flatMap((section) => section.items).map(({ place, words }, at) => [place, { at, words }]),
  )
  /** @param {Rule} rule */
  const positionOf = ({ ref, text }) => {
    const item = items.get(ref)
    return /** @type {const} */ ([item?.at ?? -1, item?.words.indexOf(text) ?? -1])
  }
  return rules
    .map((rule) => ({ rule, position: positionOf(rule) }))
    .sort(
      ({ position: [itemA, wordA], rule: a }, { position: [itemB, wordB], rule: b }) =>
        itemA - itemB || wordA - wordB || byCodeUnit(a.id, b.id),
    )
    .map(({ rule }) => rule)
}

/**
 * @param {Program} program
 * @returns {readonly Topic[]}
 */
function topicsOf(program) {
  const enums = new Set(marksOf(program).map(([member]) => member.enum))
  const topics = [...enums].map((topic) => {
    const [first] = topic.members.keys()
    const text = oneLine(getDoc(program, topic) ?? topic.name)
    return { prefix: first?.split('-')[0] ?? '', text, count: topic.members.size }
  })
  return topics.sort((a, b) => byCodeUnit(a.prefix, b.prefix))
}
