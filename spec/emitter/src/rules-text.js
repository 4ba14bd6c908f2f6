// @ts-check
import { oneLine } from './output.js'
import { parsePlace } from './rules-place.js'

/**
 * @typedef {import('@typespec/compiler').SourceFile} SourceFile
 * @typedef {import('@typespec/compiler').SourceLocation} Location
 * @typedef {{ readonly kind: string, readonly text: string }} Remark
 * @typedef {{ readonly place: string, readonly words: string, readonly remarks: readonly Remark[],
 *   readonly at: Location }} Item
 * @typedef {{ readonly number: string, readonly title: string, readonly path: string,
 *   readonly items: readonly Item[] }} Section
 * @typedef {{ readonly code: 'text-place' | 'text-remark', readonly detail: string, readonly at: Location }} Problem
 * @typedef {{ place: string, words: string[], remarks: { kind: string, words: string[] }[], at: Location }} Draft
 * @typedef {{ number: string, title: string, items: Draft[] }} SectionDraft
 */

const HEADING = /^#{1,3} ([§DI]\d+(?:\.\d+)*) (.+)$/u
const ITEM = /^- \*\*([^*]+)\*\*(.*)$/u
const REMARK = /^ {2}- \*(Why|Refused|Open|Note):\*(.*)$/u
const NESTED = /^ +- /u
const CONTINUED = /^ {2,}\S/u

/**
 * Reads one file of the contract's text: sections (`## D5 Requests`), in them places with the words that oblige
 * (`- **D5/2:1** An honoured field …`), and below those remarks that oblige nobody (`*Why:*`, `*Refused:*`, `*Open:*`,
 * `*Note:*`). All else is prose for readers.
 * @param {SourceFile} file
 * @returns {{ readonly sections: readonly Section[], readonly problems: readonly Problem[] }}
 */
export function parseText(file) {
  /** @type {SectionDraft[]} */
  const sections = []
  /** @type {Problem[]} */
  const problems = []
  /** @type {Draft | undefined} */
  let item
  let pos = 0
  for (const line of file.text.split('\n')) {
    const at = { file, pos, end: pos + line.length }
    pos += line.length + 1
    const [, number, title] = HEADING.exec(line) ?? []
    const [, place, words] = ITEM.exec(line) ?? []
    const [, kind, remark] = REMARK.exec(line) ?? []
    if (number !== undefined && title !== undefined) {
      sections.push({ number, title, items: [] })
      item = undefined
    } else if (place !== undefined) {
      const section = sections.at(-1)
      item = { place, words: [words ?? ''], remarks: [], at }
      if (section && parsePlace(place)?.section === section.number) section.items.push(item)
      else problems.push({ code: 'text-place', detail: place, at })
    } else if (item && kind !== undefined) {
      item.remarks.push({ kind, words: [remark ?? ''] })
    } else if (item && NESTED.test(line)) {
      problems.push({ code: 'text-remark', detail: line.trim(), at })
    } else if (item && CONTINUED.test(line)) {
      ;(item.remarks.at(-1) ?? item).words.push(line)
    } else if (line !== '') {
      item = undefined
    }
  }
  return { sections: sections.map((section) => finished(section, file.path)), problems }
}

/**
 * @param {SectionDraft} section
 * @param {string} path
 * @returns {Section}
 */
function finished({ number, title, items }, path) {
  return {
    number,
    title,
    path,
    items: items.map(({ place, words, remarks, at }) => ({
      place,
      words: oneLine(words.join(' ')),
      remarks: remarks.map(({ kind, words: said }) => ({ kind, text: oneLine(said.join(' ')) })),
      at,
    })),
  }
}
