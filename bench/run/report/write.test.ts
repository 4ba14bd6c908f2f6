import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resultsWith } from '../testing.ts'
import { draw } from './plot.ts'
import { writeResults } from './write.ts'

const MARKS =
  '<!-- npm run bench writes from here -->\nwords of another run\n<!-- npm run bench writes to here -->'
const results = resultsWith({
  'requests-64': { router: { perSecond: [90, 100, 110] }, nginx: { perSecond: [9_000, 10_000] } },
})

function homeWith(page: string): string {
  const home = mkdtempSync(join(tmpdir(), 'bench-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['docs', 'bench']) mkdirSync(join(home, folder))
  writeFileSync(join(home, 'docs', 'performance.md'), page)
  return home
}

test('a run is written between the marks of the page, as a document, and drawn', () => {
  const home = homeWith(`# Before\n\n${MARKS}\n\n# Behind\n`)
  const files = writeResults(results, home)
  writeResults(results, home)
  const page = readFileSync(join(home, 'docs', 'performance.md'), 'utf8')
  expect(page).toMatch(/^# Before\n\n<!--.*-->\n\n2026-01-02(.|\n)*\n\n<!--.*-->\n\n# Behind\n$/)
  expect(page).not.toContain('another run')
  expect(page.match(/### Requests a second/g)).toHaveLength(1)
  expect(page).toContain('![Requests a second, 64 clients](performance/requests.svg)')
  expect(JSON.parse(readFileSync(join(home, 'bench', 'results.json'), 'utf8'))).toEqual(results)
  expect(files).toContain(join(home, 'docs', 'performance', 'requests.svg'))
})

test('nothing is written where the page has no marks', () => {
  const home = homeWith('# Page\n')
  expect(() => writeResults(results, home)).toThrow('The page has no')
  expect(() => readFileSync(join(home, 'bench', 'results.json'))).toThrow()
})

test('a bar is as long as its median, its whisker as the rounds lie apart, on a scale of powers of ten that is shown', () => {
  const svg = draw({
    title: 'a < b',
    bars: [
      { name: 'one', values: [10, 10] },
      { name: 'other', values: [100, 1_000, 900] },
    ],
  })
  const widths = [...svg.matchAll(/<rect x="90"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width))
  expect(widths).toEqual([0, expect.closeTo((440 * Math.log10(90)) / 2, 0)])
  const whiskers = [...svg.matchAll(/d="M([\d.]+) \d+H([\d.]+)"/g)].map(([, from, to]) => [
    Number(from),
    Number(to),
  ])
  expect(whiskers[1]).toEqual([310, 530])
  const powers = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>(1[\d,]*)<\/text>/g)]
  expect(powers.slice(0, 3).map(([, x, power]) => [Number(x), power])).toEqual([
    [90, '10'],
    [310, '100'],
    [530, '1,000'],
  ])
  expect(svg).toContain('a &lt; b')
})
