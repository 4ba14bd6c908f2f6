// @ts-check
import { getDoc } from '@typespec/compiler'
import { oneLine } from './output.js'
import { parsePlace } from './rules-place.js'
import { report } from './rules-report.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./rules-text.js').Section} Section
 * @typedef {import('./rules-text.js').Item} Item
 * @typedef {ReturnType<typeof import('./rules-catalogue.js').marksOf>} Marks
 * @typedef {Marks[number]} Entry
 */

/** Between the pieces that are left of a text when its rules are taken out. */
const CUT = '\n'

/**
 * Holds rules and text against each other: every rule quotes the words at its place, and no word that obliges is left
 * without a rule.
 * @param {Program} program
 * @param {Marks} marks
 * @param {readonly Section[]} sections
 */
export function checkWords(program, marks, sections) {
  const rulesAt = Map.groupBy(marks, ([, { ref }]) => ref)
  const chosen = new Set(marks.filter(([, { origin }]) => origin === 'chosen').map(([{ name }]) => name))
  const places = new Set()
  const numbers = new Set()
  for (const { number, items } of sections) {
    if (numbers.has(number) && items[0]) report(program, 'text-twice', items[0].at, number)
    numbers.add(number)
    for (const item of items) {
      if (places.has(item.place)) report(program, 'text-twice', item.at, item.place)
      places.add(item.place)
      checkItem(program, item, rulesAt.get(item.place) ?? [])
      checkOpen(program, item, chosen)
    }
  }
  for (const [, { ref, target }] of marks)
    if (parsePlace(ref) && !places.has(ref)) report(program, 'rule-place-unknown', target, ref)
}

/**
 * @param {Program} program
 * @param {Item} item
 * @param {readonly Entry[]} rules
 */
function checkItem(program, { place, words, remarks, at }, rules) {
  // The longest first: a rule whose words are part of another's must not cut that one in two.
  const quotes = rules
    .map(([member, mark]) => ({ mark, quote: oneLine(getDoc(program, member) ?? ''), id: member.name }))
    .sort((a, b) => b.quote.length - a.quote.length)
  let rest = words
  for (const { mark, quote, id } of quotes) {
    if (rest.includes(quote)) rest = rest.replace(quote, () => CUT)
    else report(program, 'rule-words', mark.target, id, place)
  }
  const left = rest.split(CUT).map((piece) => piece.trim())
  for (const piece of left.filter(Boolean)) report(program, 'text-uncovered', at, piece, place)
  if (words === '' && !remarks.some(({ kind }) => kind === 'Open')) report(program, 'text-empty', at, place)
}

/**
 * @param {Program} program
 * @param {Item} item
 * @param {ReadonlySet<string>} chosen
 */
function checkOpen(program, item, chosen) {
  const { place, at, remarks } = item
  const closing = closingOf(item)
  const closed = closing.length > 0 && closing.every((id) => chosen.has(id))
  if (remarks.some(({ kind }) => kind === 'Open') && !closed) report(program, 'text-open', at, place)
}

/**
 * The rules that close what a place leaves open: those named behind "Closed by".
 * @param {Item} item
 * @returns {readonly string[]}
 */
export function closingOf({ remarks }) {
  const open = remarks.filter(({ kind }) => kind === 'Open').map(({ text }) => text)
  return open.flatMap((text) => (text.split('Closed by ')[1] ?? '').match(/[A-Z]{2,4}-\d{2,}/g) ?? [])
}
