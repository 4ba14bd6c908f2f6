import { figuresIn, type Results } from '../results.ts'
import { NOTHING, showSpread } from './number.ts'

/** A part of the report: one table, a row for each subject. */
export interface Section {
  readonly title: string
  /** What stands above it; one sentence or a few. */
  readonly words: string
  readonly columns: readonly Column[]
}

/** One column: a figure of a measure. */
export interface Column {
  readonly heading: string
  readonly measure: string
  readonly figure: string
  /** Behind a plus: a second figure of the same. */
  readonly plus?: string
  /** What the figures are multiplied by. */
  readonly scale?: number
}

/** The lines of a table in Markdown; subjects and columns that nothing was found of are left out. */
export function tableOf({ columns }: Section, results: Results): string[] {
  const found = columns.filter(({ measure, figure }) =>
    results.subjects.some(({ name }) => figuresIn(results, measure, name, figure) !== undefined),
  )
  const rows = results.subjects
    .map(({ name }) => [name, ...found.map((column) => cell(column, name, results))])
    .filter(([, ...cells]) => cells.some((text) => text !== NOTHING))
  return rows.length === 0 ? [] : table(['', ...found.map(({ heading }) => heading)], rows)
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function cell({ measure, figure, plus, scale = 1 }: Column, subject: string, results: Results): string {
  const show = (name: string): string | undefined => {
    const values = figuresIn(results, measure, subject, name)
    return values === undefined ? undefined : showSpread(values.map((value) => value * scale))
  }
  const shown = show(figure)
  if (shown === undefined) return NOTHING
  const more = plus === undefined ? undefined : show(plus)
  return `${isHeldUp(measure, figure, subject, results) ? '≥ ' : ''}${shown}${more === undefined ? '' : ` + ${more}`}`
}

/** Cores that are as good as full. */
const FULL = 0.9

/** Whether load and model had no more to give while what is measured had: then a rate is what they could do. */
function isHeldUp(measure: string, figure: string, subject: string, results: Results): boolean {
  if (figure !== 'perSecond') return false
  const { method, machine } = results
  const others = method.subjectCore === null ? machine.cores : machine.cores - 1
  const busy = figuresIn(results, measure, subject, 'busy')
  const own = figuresIn(results, measure, subject, 'ownBusy')
  if (busy === undefined || own === undefined) return false
  return Math.max(...busy) < FULL && Math.max(...own) >= FULL * others
}
