import { visible } from '#base/foreign-text.ts'
import type { Digest } from '../attestation/digest.ts'
import { drawBox } from './boxes.ts'
import { type GenerationRecord, QUESTION } from './demo.ts'
import type { StartFailure } from './failure.ts'
import type { Palette } from './palette.ts'
import { type Balances, ledgerRows, type Prices, recordRows } from './records.ts'
import { createWrapper, type Wrapper } from './wrap.ts'

/** Everything that a person sees of the starter. */
export interface Story {
  begin(chapter: string): void
  /** Runs a step under its name and tells how it ended and how long it took. */
  step<Result>(name: string, work: () => Promise<Result>, outcome: Outcome<Result>): Promise<Result>
  /** One more remark, on a line of its own. */
  say(text: string): void
  warn(text: string): void
  /** The question, and a place to write the answer as it comes. */
  ask(model: string): Wrapper
  showRecord(record: GenerationRecord, prices: Prices, verified: Digest): void
  showLedger(record: GenerationRecord, balances: Balances): void
  /** A line to copy, under a title. */
  offer(title: string, text: string): void
  /** Lines with a name and a value, under a title; each marked as done when they are. */
  list(title: string, entries: Readonly<Record<string, string>>, mark?: '✓'): void
  /** A paragraph. */
  explain(text: string): void
  fail(failure: StartFailure): void
}

/** What is told at the end of a step: `ready in 1.2 s` and a remark. */
export interface Outcome<Result> {
  readonly word: string
  readonly remark?: (result: Result) => string
}

/** Where the story is written. */
export interface Stage {
  readonly write: (text: string) => void
  readonly palette: Palette
  readonly columns: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const INDENT = '  '
const NAME_WIDTH = 14
const WIDEST_TEXT = 88

/** Tells the story on a stage. */
export function createStory({ write, palette, columns, now }: Stage): Story {
  const { bold, dim, good, bad, accent } = palette
  // A step writes its name first and its end later; what comes between begins a new line.
  let midLine = false

  function line(text = ''): void {
    write(`${midLine ? '\n' : ''}${text}\n`)
    midLine = false
  }

  function box(title: string, rows: Parameters<typeof drawBox>[1]): void {
    line()
    for (const each of drawBox(title, rows, palette)) line(each)
  }

  return {
    begin: (chapter) => line(`\n${bold(chapter)}\n`),
    async step(name, work, { word, remark = () => '' }) {
      const start = now()
      const begun = `${INDENT}${name.padEnd(NAME_WIDTH)}${dim('… ')}`
      // The step before may have failed.
      write(`${midLine ? '\n' : ''}${begun}`)
      midLine = true
      const result = await work()
      const seconds = ((now() - start) / 1_000).toFixed(1)
      write(`${midLine ? '' : begun}${good(word)} in ${seconds} s  ${dim(remark(result))}`.trimEnd())
      write('\n')
      midLine = false
      return result
    },
    say: (text) => line(INDENT + visible(text)),
    warn: (text) => line(INDENT + accent('! ') + visible(text)),
    ask(model) {
      line(`\n${INDENT}${dim('you')}  ${QUESTION}`)
      line(`${INDENT}${dim(visible(model))}`)
      return createWrapper(write, Math.min(columns, WIDEST_TEXT), `${INDENT}${accent('│')} `)
    },
    showRecord: (record, prices, verified) =>
      box('Generation record: GET /v1/generation', recordRows(record, prices, verified)),
    showLedger: (record, balances) => box('Ledger row', ledgerRows(record, balances)),
    offer(title, text) {
      line(`\n${bold(title)}\n`)
      line(INDENT + visible(text))
    },
    list(title, entries, mark) {
      const width = Math.max(...Object.keys(entries).map(({ length }) => length)) + 2
      const start = INDENT + (mark ? `${good(mark)} ` : '')
      line(`\n${bold(title)}\n`)
      for (const [name, value] of Object.entries(entries))
        line(start + dim(name.padEnd(width)) + visible(value))
    },
    explain(text) {
      line()
      const paragraph = createWrapper(write, Math.min(columns, WIDEST_TEXT), INDENT)
      paragraph.write(text)
      paragraph.end()
    },
    fail({ message, details }) {
      line(`\n${bad('It did not work.')} ${visible(message)}`)
      for (const detail of details) line(INDENT + visible(detail))
    },
  }
}
