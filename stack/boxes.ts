import { stripVTControlCharacters } from 'node:util'
import { visible } from '#base/foreign-text.ts'
import type { Palette } from './palette.ts'

/** One line of a box: a label, a value and a remark. */
export interface Row {
  readonly label: string
  readonly value: string
  readonly remark?: string
  /** Numbers stand below each other by their ends. */
  readonly right?: boolean
}

const GAP = '  '

/** Draws rows in aligned columns with a frame and a title around them. */
export function drawBox(title: string, given: readonly Row[], palette: Palette): readonly string[] {
  const rows = given.map(shownRow)
  const labels = widest(rows.map(({ label }) => label))
  const values = widest(rows.filter(({ right }) => right).map(({ value }) => value))
  const lines = rows.map(({ label, value, remark = '', right }) => {
    const shown = right ? value.padStart(values) : value
    return palette.dim(label.padEnd(labels)) + GAP + shown + (remark && palette.dim(GAP + remark))
  })
  const width = Math.max(widest(lines), title.length + 2)
  const edge = palette.dim('│')
  return [
    `${palette.dim('╭─')} ${palette.bold(title)} ${palette.dim(`${'─'.repeat(width - title.length - 1)}╮`)}`,
    ...lines.map((line) => `${edge} ${line}${' '.repeat(width - widthOf(line))} ${edge}`),
    palette.dim(`╰${'─'.repeat(width + 2)}╯`),
  ]
}

/** A record comes from the router, and what is in it from wherever. */
function shownRow(row: Row): Row {
  const { label, value, remark } = row
  const shown = { ...row, label: visible(label), value: visible(value) }
  return remark === undefined ? shown : { ...shown, remark: visible(remark) }
}

/** How many columns a text takes, colours not counted. */
export function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(widthOf))
}
