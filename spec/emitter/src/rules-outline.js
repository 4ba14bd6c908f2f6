// @ts-check
import { parsePlace, sentencesOf } from './rules-place.js'
import { report } from './rules-report.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./rules-decorators.js').Section} Section
 * @typedef {ReturnType<typeof import('./rules-catalogue.js').marksOf>} Marks
 */

/**
 * Holds rules and outline against each other: every rule stands somewhere, and every sentence has its rule.
 * @param {Program} program
 * @param {Marks} marks
 * @param {readonly Section[]} sections
 */
export function checkOutline(program, marks, sections) {
  const places = new Set(sections.flatMap(placesIn))
  for (const [, { ref, target }] of marks)
    if (parsePlace(ref) && !places.has(ref)) report(program, 'rule-place-unknown', target, ref)

  const numbers = new Set()
  for (const section of sections) {
    if (numbers.has(section.number)) report(program, 'section-twice', section.target, section.number)
    numbers.add(section.number)
    checkGaps(program, marks, section)
    checkCoverage(program, marks, section)
  }
}

/**
 * @param {Program} program
 * @param {Marks} marks
 * @param {Section} section
 */
function checkGaps(program, marks, section) {
  const { number, open, silent, target } = section
  const places = new Set(placesIn(section))
  const chosen = new Set(marks.filter(([, { origin }]) => origin === 'chosen').map(([{ name }]) => name))
  for (const [place, closing] of open) {
    const closed = closing.length > 0 && closing.every((id) => chosen.has(id))
    if (!closed) report(program, 'section-gap', target, `${number}/${place}`)
  }
  for (const place of [...open.keys(), ...silent])
    if (!places.has(`${number}/${place}`)) report(program, 'section-gap', target, `${number}/${place}`)
}

/**
 * @param {Program} program
 * @param {Marks} marks
 * @param {Section} section
 */
function checkCoverage(program, marks, { number, items, open, silent, target }) {
  const covered = new Set(marks.map(([, { ref }]) => ref))
  /** @param {string} place */
  const isSettled = (place) => open.has(place) || silent.includes(place) || covered.has(`${number}/${place}`)
  for (const [item, sentences] of items) {
    if (isSettled(item)) continue
    for (const place of sentencesOf(item, sentences))
      if (!isSettled(place)) report(program, 'section-uncovered', target, `${number}/${place}`)
  }
}

/**
 * Every place that can be named in a section: its items, and the sentences of those that have several.
 * @param {Section} section
 * @returns {readonly string[]}
 */
function placesIn({ number, items }) {
  return [...items].flatMap(([item, sentences]) =>
    [item, ...sentencesOf(item, sentences)].map((place) => `${number}/${place}`),
  )
}
