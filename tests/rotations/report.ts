import type { Cell } from './matrix.ts'

/** The longest that an answer may take, and the least share of them that has to be 200 (the promise). */
const LONGEST_MS = 15_000
const LEAST_OK = 0.99

const columns: readonly (readonly [title: string, read: (cell: Cell) => string | number])[] = [
  ['rotation', ({ rotation }) => rotation],
  ['how', ({ how }) => how],
  ['requests', ({ requests }) => requests],
  ['200', ({ ok }) => ok],
  ['attesting', ({ attesting }) => attesting],
  ['tls-fingerprint', ({ fingerprint }) => fingerprint],
  ['other', ({ other }) => other],
  ['broken', ({ broken }) => broken],
  ['slowest ms', ({ slowestMs }) => slowestMs],
  ['passed', ({ passed }) => passed],
  ['failed', ({ failed }) => failed],
  ['sent wrongly', ({ sentWrongly }) => sentWrongly],
  ['unverified', ({ unverified }) => unverified],
  ['noticed', ({ noticed }) => (noticed ? 'yes' : 'NO')],
]

/** The share of all requests that were answered with 200. */
export function shareOk(cells: readonly Cell[]): number {
  const sum = (read: (cell: Cell) => number) => cells.reduce((total, cell) => total + read(cell), 0)
  const requests = sum((cell) => cell.requests)
  return requests === 0 ? 0 : sum((cell) => cell.ok) / requests
}

/** Lists what breaks the promise of each cell, and of the share of 200s over all; empty when it is kept. */
export function breaches(cells: readonly Cell[]): string[] {
  const broken = cells.flatMap((cell) => {
    const {
      rotation,
      how,
      other,
      fingerprint,
      broken: cut,
      slowestMs,
      sentWrongly,
      unverified,
      noticed,
      ok,
    } = cell
    const found = [
      ok === 0 && 'no request was answered with 200',
      other > 0 && `${other} answers are neither 200 nor a refusal that heals`,
      fingerprint > 0 && `${fingerprint} requests were refused and could have waited`,
      cut > 0 && `${cut} streams did not come to their proper end`,
      slowestMs > LONGEST_MS && `an answer took ${slowestMs} ms`,
      sentWrongly > 0 && `${sentWrongly} requests were sent twice, or although they were refused`,
      unverified > 0 && `${unverified} requests went over a certificate that was not verified`,
      !noticed && 'the proxy has not verified what is published',
    ]
    return found.filter((each) => each !== false).map((each) => `${rotation}, ${how}: ${each}.`)
  })
  const share = shareOk(cells)
  return share >= LEAST_OK ? broken : [...broken, `Only ${percent(share)} of all requests had a 200.`]
}

/** The cells as a table. */
export function tableOf(cells: readonly Cell[]): string[] {
  const rows = [columns.map(([title]) => title), ...cells.map(rowOf)]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
  return rows.map((row) =>
    row
      .map((text, index) => (index < 2 ? text.padEnd(widths[index]!) : text.padStart(widths[index]!)))
      .join('  '),
  )
}

/** A share as people read it. */
export function percent(share: number): string {
  return `${(Math.floor(share * 100_00) / 100).toFixed(2)} %`
}

function rowOf(cell: Cell): string[] {
  return columns.map(([, read]) => String(read(cell)))
}
