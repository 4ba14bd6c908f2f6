// @ts-check

/**
 * Where a rule stands: the section, and the paragraph (`p1`), table row (`t1`) or list item (`1`, `1.2`) in it, with
 * the sentence of that (`:2`) where it has several. It is a name that the text bears beside the words; nothing counts.
 * @typedef {{ readonly section: string, readonly item: string }} Place
 */

const PLACE = /^([§DI]\d+(?:\.\d+)*)\/((?:[pt]\d+|\d+(?:\.\d+)*)(?::[1-9]\d*)?)$/u
const DOCUMENTS = '§DI'

/**
 * Reads a place such as `§4.3/6` or `D2/5:4`.
 * @param {string} text
 * @returns {Place | undefined}
 */
export function parsePlace(text) {
  const [, section, item] = PLACE.exec(text) ?? []
  return section === undefined || item === undefined ? undefined : { section, item }
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
