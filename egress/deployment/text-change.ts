import type { Json } from '#attestation'
import { align } from './align.ts'
import { textLine } from './sheet.ts'

/** Longest text that is told whole when a part of it has changed, and how much is told around that part (ours). */
const MAX_WHOLE = 160
const AROUND = 40

/** What has changed from one plain value to another: every line or part that differs, whole. */
export function changeInWords(before: Json, after: Json): string[] {
  const areTexts = typeof before === 'string' && typeof after === 'string'
  if (areTexts && (before.includes('\n') || after.includes('\n'))) return lineChanges(before, after)
  if (areTexts && Math.max(before.length, after.length) > MAX_WHOLE) return partChange(before, after)
  return [`- ${JSON.stringify(before)}`, `+ ${JSON.stringify(after)}`]
}

function lineChanges(before: string, after: string): string[] {
  const sides = { before: before.split('\n'), after: after.split('\n') }
  const { origins } = align(sides.before.length, sides.after.length, [(side, index) => sides[side][index]], 0)
  const told: string[] = []
  let added: string[] = []
  let next = 0
  const tellUntil = (end: number): void => {
    for (; next < end; next++) told.push(numbered('-', next, sides.before[next]!))
    told.push(...added)
    added = []
    next = end + 1
  }
  for (const [index, origin] of origins.entries()) {
    if (origin === undefined) added.push(numbered('+', index, sides.after[index]!))
    else tellUntil(origin)
  }
  tellUntil(sides.before.length)
  return told
}

function numbered(sign: '-' | '+', index: number, line: string): string {
  return `${sign} line ${index + 1} | ${textLine(line)}`
}

/** Of a long text, the part that differs and a little around it. */
function partChange(before: string, after: string): string[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const from = Math.max(0, start - AROUND)
  const behind = Math.max(0, end - AROUND)
  return [before, after].map((text, index) => {
    const part = JSON.stringify(text.slice(from, text.length - behind))
    return `${index === 0 ? '-' : '+'} ${from > 0 ? '…' : ''}${part}${behind > 0 ? '…' : ''}`
  })
}
