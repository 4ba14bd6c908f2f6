// @ts-check

/**
 * Where a rule stands: the section, the paragraph (`p1`), table row (`t1`) or list item (`1`, `1.2`) in it, and
 * the sentence of that, or 0 for the whole.
 * @typedef {{ readonly section: string, readonly item: string, readonly sentence: number }} Place
 */

const SECTION = /^[§DI]\d+(?:\.\d+)*$/u
const PLACE = /^([§DI]\d+(?:\.\d+)*)\/([pt]\d+|\d+(?:\.\d+)*)(?::([1-9]\d*))?$/u
const RANGE = /^(p|t|(?:\d+\.)*)(\d+)(?:-\1(\d+)|\((\d+)\))?$/u
const DOCUMENTS = '§DI'

/**
 * Reads a place such as `§4.3/6` or `D2/5:4`.
 * @param {string} text
 * @returns {Place | undefined}
 */
export function parsePlace(text) {
  const [, section, item, sentence] = PLACE.exec(text) ?? []
  if (section === undefined || item === undefined) return undefined
  return { section, item, sentence: Number(sentence ?? 0) }
}

/**
 * Whether a text is the number of a section, such as `§2.3.1` or `D2`.
 * @param {string} text
 */
export function isSection(text) {
  return SECTION.test(text)
}

/**
 * Reads a list of items such as `t1-t3 1(2) 1.1-1.2`: each item with the number of its sentences, in order;
 * undefined when it is malformed.
 * @param {string} text
 * @returns {ReadonlyMap<string, number> | undefined}
 */
export function parseItems(text) {
  /** @type {Map<string, number>} */
  const items = new Map()
  for (const range of text.split(' ').filter(Boolean)) {
    const [, prefix, first, last, sentences] = RANGE.exec(range) ?? []
    if (prefix === undefined) return undefined
    for (let n = Number(first); n <= Number(last ?? first); n++)
      items.set(`${prefix}${n}`, Number(sentences ?? 1))
  }
  return items
}

/**
 * The sentences of an item as places; the item itself when it has but one.
 * @param {string} item
 * @param {number} sentences
 * @returns {readonly string[]}
 */
export function sentencesOf(item, sentences) {
  if (sentences === 1) return [item]
  return Array.from({ length: sentences }, (_, i) => `${item}:${i + 1}`)
}

/**
 * Orders sections: the given specification, the decisions, the interfaces; then by number.
 * @param {string} a
 * @param {string} b
 */
export function bySection(a, b) {
  const document = DOCUMENTS.indexOf(a.charAt(0)) - DOCUMENTS.indexOf(b.charAt(0))
  if (document !== 0) return document
  const [left, right] = [a, b].map((section) => section.slice(1).split('.').map(Number))
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const difference = (left?.[i] ?? -1) - (right?.[i] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}
