import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { ConformanceResults } from '#contract/models'
import { readEntries } from './entries.ts'
import { describeRegistry } from './page.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const REPORTS = join(ROOT, 'reports')
const folder = mkdtempSync(join(tmpdir(), 'registry-'))
const [some] = readEntries(REPORTS)

beforeEach(() => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Puts a report there, as somebody else's. */
function put(
  path: string,
  change: Partial<ConformanceResults['product']> = {},
  readme = true,
  part: Partial<ConformanceResults['selection']> = {},
): void {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  const { results } = some!
  const product = { ...results.product, ...change }
  writeFileSync(file, JSON.stringify({ ...results, product, selection: { ...results.selection, ...part } }))
  if (readme) writeFileSync(join(file, '..', 'README.md'), 'how')
}

const { version: suite } = some!.results.suite

test('the page of what is compatible shows every report', () => {
  expect(readFileSync(join(ROOT, 'docs/compatibility.md'), 'utf8')).toBe(
    describeRegistry(readEntries(REPORTS), '../reports'),
  )
})

test('a row says who it is, what is kept, and what to mend first', () => {
  put(`${suite}/x/1.4.json`, { name: 'X | <b>', version: '1.4' })
  const page = describeRegistry(readEntries(folder), 'reports')
  expect(page).toMatch(/^\| X \\\| \\<b\\> \[1\.4\]\(reports\/\S+\/x\/1\.4\.json\), \[how\]/m)
  expect(page).toMatch(
    / \| router \| failing( \| \d+ of \d+( told, \d+ untold)?){3} \| [A-Z]+-\d+.* by .*: \S/,
  )
  expect(page).toMatch(/^- X \\\| \\<b\\> 1\.4 keeps \d+ of (the )?\d+ given rules/m)
})

test.each<[string, () => void, RegExp]>([
  ['of another suite', () => put('0.9.0/x/1.4.json', { version: '1.4' }), /was made by suite/],
  ['of another version', () => put(`${suite}/x/1.4.json`, { version: '1.5' }), /is of version 1\.5/],
  [
    'of a part of the suite',
    () => put(`${suite}/x/1.4.json`, { version: '1.4' }, true, { rules: ['AUTH-03'] }),
    /judges what --rule AUTH-03 selects alone/,
  ],
  ['in a wrong place', () => put('x.json', { version: '1.4' }), /is not SUITE\/PRODUCT\/VERSION\.json/],
  [
    'that nobody can make again',
    () => put(`${suite}/x/1.4.json`, { version: '1.4' }, false),
    /no README\.md/,
  ],
])('a report %s is refused', (_, act, problem) => {
  act()
  expect(() => readEntries(folder)).toThrow(problem)
})

test.each(['hundred-lines', 'litellm', 'portkey-ai-gateway'])(
  'the page of %s explains each given rule that its report breaks, and no other',
  (name) => {
    const entry = readEntries(REPORTS).find(({ path }) => path.includes(`/${name}/`))!
    const page = readFileSync(join(REPORTS, dirname(entry.path), 'README.md'), 'utf8')
    const explained = [...page.matchAll(/^\| ([A-Z]+-\d\d[^|]*) \|/gm)].flatMap(([, ids = '']) =>
      ids.split(', '),
    )
    const broken = entry.results.profiles.flatMap(({ given }) => given.rules_broken)
    expect(explained.toSorted()).toEqual(broken.toSorted())
  },
)

test('a report is read as it was written', () => {
  cpSync(REPORTS, folder, { recursive: true })
  expect(readEntries(folder).map(({ path }) => path)).toEqual(readEntries(REPORTS).map(({ path }) => path))
})
