import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { figuresIn, type Results } from '../results.ts'
import { reportOf } from './document.ts'
import { draw } from './plot.ts'

const BEGIN = '<!-- npm run bench writes from here -->'
const END = '<!-- npm run bench writes to here -->'

/** What is drawn: of which measure, which figure. */
const plots = [
  {
    file: 'requests.svg',
    title: 'Requests a second, 64 clients',
    measure: 'requests-64',
    figure: 'perSecond',
  },
  {
    file: 'request-cpu.svg',
    title: 'Processor time a request, 64 clients, µs',
    measure: 'requests-64',
    figure: 'cpuMicros',
  },
  {
    file: 'chunk-cpu.svg',
    title: 'Processor time a chunk, 100 paced streams, µs',
    measure: 'chunks-paced',
    figure: 'cpuMicros',
  },
  {
    file: 'first-byte.svg',
    title: 'Time to the first byte, 1 client, p50, ms',
    measure: 'first-1',
    figure: 'firstByteP50Ms',
  },
] as const

/** Writes a run below the project's folder: its figures, its tables and its plots. Gives the files. */
export function writeResults(results: Results, home: string): string[] {
  const page = join(home, 'docs', 'performance.md')
  const figures = join(home, 'bench', 'results.json')
  // The page first: one without its marks is a mistake before anything was written.
  const text = between(readFileSync(page, 'utf8'), [...reportOf(results), ...drawn(results).map(link)])
  mkdirSync(join(home, 'docs', 'performance'), { recursive: true })
  const drawings = drawn(results).map(({ file, svg }) => {
    const path = join(home, 'docs', 'performance', file)
    writeFileSync(path, svg)
    return path
  })
  writeFileSync(page, text)
  writeFileSync(figures, `${JSON.stringify(results, undefined, 2)}\n`)
  return [page, figures, ...drawings]
}

/** A page with other lines between its two marks; throws where it has none. */
function between(page: string, lines: readonly string[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`The page has no "${BEGIN}" with "${END}" behind it.`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${lines.join('\n').trimEnd()}\n\n${page.slice(end)}`
}

function drawn(results: Results): { readonly file: string; readonly title: string; readonly svg: string }[] {
  return plots.flatMap(({ file, title, measure, figure }) => {
    const bars = results.subjects.flatMap(({ name }) => {
      const values = figuresIn(results, measure, name, figure)
      return values === undefined ? [] : [{ name, values }]
    })
    return bars.length === 0 ? [] : [{ file, title, svg: draw({ title, bars }) }]
  })
}

function link({ file, title }: { readonly file: string; readonly title: string }): string {
  return `![${title}](performance/${file})\n`
}
