import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type LineOf, MAX_LINE_BYTES, parseLine } from './line.ts'

/** The first line of a file that goes on from another. */
export type Continuation = LineOf<'continuation'>

/** The first number of a file that a journal goes on in: the journal's own is the first. */
export const FIRST_CONTINUATION = 2

const CONTINUED = /^(.+)\.part([1-9]\d{0,5})$/
const LINE_END = 0x0a

/** The file that a journal goes on in, by its number. */
export function continuationFile(file: string, number: number): string {
  return `${file}.part${number}`
}

/** The files of a journal that are there, in the order in which they follow one another. */
export function partsOf(file: string): string[] {
  const [folder, name] = [dirname(file), basename(file)]
  const names = namesIn(folder)
  const numbers = names.flatMap((each) => {
    const [, base, number] = CONTINUED.exec(each) ?? []
    return base === name && Number(number) >= FIRST_CONTINUATION ? [Number(number)] : []
  })
  numbers.sort((one, other) => one - other)
  const continued = numbers.map((number) => continuationFile(name, number))
  return [...(names.includes(name) ? [name] : []), ...continued].map((each) => join(folder, each))
}

/** The journal that a file belongs to: the file itself, unless it says that it goes on from another. */
export function journalWith(file: string): string {
  const [, base] = CONTINUED.exec(file) ?? []
  return base !== undefined && readContinuation(file) !== undefined ? base : file
}

/** The first line of a file, when it says what the file goes on from. */
export function readContinuation(file: string): Continuation | undefined {
  const bytes = Buffer.alloc(MAX_LINE_BYTES)
  let length: number
  try {
    const handle = openSync(file, 'r')
    try {
      length = readSync(handle, bytes)
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
  const end = bytes.subarray(0, length).indexOf(LINE_END)
  const line = end === -1 ? undefined : parseLine(bytes.toString('utf8', 0, end))
  return line?.kind === 'continuation' ? line : undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
