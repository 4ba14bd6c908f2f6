/** One cell of a CSV file (RFC 4180); numbers are written as they are, and what is unknown stays empty. */
export type Cell = string | bigint | number | null

/** One line with its end. */
export function toLine(row: readonly Cell[]): string {
  return `${row.map(toCell).join(',')}\r\n`
}

// What a spreadsheet takes for a formula when it opens the file, or looks as if it were one; names of keys are chosen by
// customers. Half of the world's spreadsheets begin a cell at a semicolon too; some pass over spaces, or what is not seen.
const FORMULA = /(?<=^|[;\t\r\n])(?=[\p{Zs}\p{Cf}]*[=+\-@\t\r\n＝＋－＠])/gu
const NEEDS_QUOTES = /[",;\t\r\n]/

function toCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '')
  const text = cell.replace(FORMULA, "'")
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
