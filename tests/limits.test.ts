import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '#contract/limits'

const ROOT = join(import.meta.dirname, '..')

/** The programs themselves, without what tests them. */
const sources = globSync('{server,proxy,platform,attestation,egress}/**/*.ts', { cwd: ROOT })
  .filter((file) => !/\.test\.ts$|\/testing(\/|\.ts$)|\/test-/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

const UNIT = /(Ms|Bytes|Characters|Seconds|Tokens|Micros|PerMinute|PerSecond|Bits)$/
const CONSTANT = /_(MS|BYTES|CHARACTERS|SECONDS|TOKENS|MICROS|PER_MINUTE|PER_SECOND|BITS)$/

/** A name that is given a number: `STOP_MS = 30_000`, `idleMs: 1_000`, `drainMs: written ?? 30_000`. */
const NUMBER = /\b(\w+)(?::\s*number)?\s*[=:]\s*(?:[^,;=]*\?\?\s*)?(\d[\d_]*)n?\s*(?=[,;)}\n]|$)/g

/** Says where a constant comes from that is none of the contract's: ours, or the place of a rule of its own. */
const SOURCE = /\bours\b|\([^)]*\d[^)]*\)/i

test.each(Object.keys(limits))('%s is read by a program', (name) => {
  const readers = sources.filter(({ text }) => new RegExp(`\\blimits\\??\\.${name}\\b`).test(text))
  expect(readers.map(({ file }) => file)).not.toEqual([])
})

test('no literal repeats a limit of the same unit, unless its comment says that it is another thing', () => {
  const repeated = sources.flatMap(({ file, text }) =>
    [...text.matchAll(NUMBER)].flatMap(({ 1: name = '', 2: digits = '', index }) => {
      const value = Number(digits.replaceAll('_', ''))
      const equal = Object.entries(limits).filter(
        ([limit, one]) => one === value && value > 0 && unitOf(limit) === unitOf(name),
      )
      if (unitOf(name) === undefined || equal.length === 0 || SOURCE.test(remarkAt(text, index))) return []
      return [
        `${file}: ${name} = ${value}: read ${equal.map(([limit]) => limit).join(' or ')}, or say "ours"`,
      ]
    }),
  )
  expect(repeated).toEqual([])
})

test('a literal that repeats a limit would be found', () => {
  expect([...'const STOP_MS = 30_000\n'.matchAll(NUMBER)].map(([, name]) => unitOf(name!))).toEqual(['ms'])
  expect([...'  drainMs: written?.drainMs ?? 30_000,'.matchAll(NUMBER)].at(-1)?.slice(1)).toEqual([
    'drainMs',
    '30_000',
  ])
})

function unitOf(name: string): string | undefined {
  return (UNIT.exec(name)?.[1] ?? CONSTANT.exec(name)?.[1])?.replaceAll('_', '').toLowerCase()
}

/** The comments above a place, back to an empty line: one may stand above several constants. */
function remarkAt(text: string, index: number): string {
  const lines = text.slice(Math.max(0, text.lastIndexOf('\n\n', index)), index).split('\n')
  return lines.filter((line) => /^\s*(\/\*\*|\*|\/\/)/.test(line)).join('\n')
}
