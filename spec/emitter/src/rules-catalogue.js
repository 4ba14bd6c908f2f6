// @ts-check
import { getDoc } from '@typespec/compiler'
import { byCodeUnit, oneLine } from './output.js'
import { MARKS, SECTIONS } from './rules-decorators.js'
import { bySection, parsePlace } from './rules-place.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./rules-decorators.js').Mark} Mark
 * @typedef {import('./rules-decorators.js').Section} Section
 * @typedef {{ readonly id: string, readonly origin: string, readonly ref: string, readonly level: string,
 *   readonly subjects: readonly string[], readonly test: string, readonly reason?: string,
 *   readonly text: string }} Rule
 * @typedef {{ readonly prefix: string, readonly text: string, readonly count: number }} Topic
 * @typedef {{ readonly rules: readonly Rule[], readonly sections: readonly Section[],
 *   readonly topics: readonly Topic[] }} Catalogue
 */

/**
 * All rules of a program in the order of the given specification, the chosen ones after them.
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
 * The outline, in order.
 * @param {Program} program
 * @returns {readonly Section[]}
 */
export function sectionsOf(program) {
  const sections = /** @type {Section[]} */ ([...program.stateMap(SECTIONS).values()].flat())
  return sections.sort((a, b) => bySection(a.number, b.number))
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
 * @param {Rule[]} rules
 * @param {readonly Section[]} sections
 */
function inOrder(rules, sections) {
  const positions = new Map(
    sections
      .flatMap(({ number, items }) => [...items.keys()].map((item) => `${number}/${item}`))
      .map((at, i) => [at, i]),
  )
  /** @param {Rule} rule */
  const positionOf = ({ ref }) => {
    const place = parsePlace(ref)
    return [positions.get(`${place?.section}/${place?.item}`) ?? -1, place?.sentence ?? 0]
  }
  return rules
    .map((rule) => ({ rule, position: positionOf(rule) }))
    .sort((a, b) => byPosition(a.position, b.position) || byCodeUnit(a.rule.id, b.rule.id))
    .map(({ rule }) => rule)
}

/**
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 */
function byPosition([itemA = 0, sentenceA = 0], [itemB = 0, sentenceB = 0]) {
  return itemA - itemB || sentenceA - sentenceB
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
