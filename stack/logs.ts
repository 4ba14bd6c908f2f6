import { existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { shorten } from '#base/foreign-text.ts'

// Ours: one older file is kept beside it.
const MAX_BYTES = 8 * 1024 * 1024
const TAIL_LINES = 5
const TAIL_WIDTH = 200

/** What the log lines of the children have in common. */
interface Entry {
  readonly msg?: string
  readonly error?: { readonly message?: string }
}

/** Opens a log for appending, a new one when it has become large; the caller passes it on and closes it. */
export function openLog(
  folder: string,
  name: string,
): { readonly file: string; readonly descriptor: number } {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.log`)
  if (existsSync(file) && statSync(file).size > MAX_BYTES) renameSync(file, `${file}.old`)
  return { file, descriptor: openSync(file, 'a', 0o600) }
}

/** The last lines of a log, each once, for a person who wants to know what went wrong. */
export function tailOf(file: string): readonly string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map(readable)
  return [...new Set(lines.reverse())].slice(0, TAIL_LINES).reverse()
}

function readable(line: string): string {
  const { msg, error } = parseEntry(line)
  return shorten([msg ?? line, error?.message].filter(Boolean).join(': '), TAIL_WIDTH)
}

function parseEntry(line: string): Entry {
  try {
    return JSON.parse(line) as Entry
  } catch {
    return {}
  }
}
