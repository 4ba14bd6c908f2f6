import { expect, test } from 'vitest'
import { plot } from './plot.ts'

test('a chart begins at zero, names its series and its unit, and shows markup as text', () => {
  const points = [
    { seconds: 0, value: 50 },
    { seconds: 10, value: 100 },
  ]
  const svg = plot([{ title: 'a < b', unit: 'MiB', series: [{ name: 'router', points }] }])
  expect(svg).toContain('a &lt; b')
  expect(svg).toContain('100 MiB')
  expect(svg).toContain('>router</text>')
  // The first point lies half-way up: the line of zero is at 260, the top at 40.
  expect(svg).toContain('points="70.0,150.0 750.0,40.0"')
})
