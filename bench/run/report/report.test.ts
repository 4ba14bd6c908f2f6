import { expect, test } from 'vitest'
import { resultsWith } from '../testing.ts'
import { reportOf } from './document.ts'
import { showNumber, showSpread } from './number.ts'
import { tableOf } from './sections.ts'

const column = { heading: 'a second', measure: 'one', figure: 'perSecond' }

test.each([
  [12_345.6, '12,346'],
  [99.94, '99.9'],
  [2.3456, '2.35'],
  [-250, '-250'],
])('%d is shown as %s', (value, text) => {
  expect(showNumber(value)).toBe(text)
})

test('a figure of several rounds is shown with its noise, of one without', () => {
  expect(showSpread([10, 12, 14])).toBe('12.0 ± 2.00')
  expect(showSpread([12])).toBe('12.0')
  expect(showSpread(undefined)).toBe('–')
})

test('a table has a row for everybody of whom something was found, and no empty column', () => {
  const results = resultsWith({ one: { a: { perSecond: [10] }, b: { other: [1] } } })
  const empty = { ...column, heading: 'nothing', figure: 'absent' }
  const plus = { ...column, heading: 'both', plus: 'perSecond', scale: 2 }
  expect(tableOf({ title: '', words: '', columns: [column, empty, plus] }, results)).toEqual([
    '|  | a second | both |',
    '| --- | --- | --- |',
    '| a | 10.0 | 20.0 + 20.0 |',
  ])
})

test('a rate that load and model held up is shown as what it is at least', () => {
  const rate = (busy: number, ownBusy: number) => ({ perSecond: [10], busy: [busy], ownBusy: [ownBusy] })
  const results = resultsWith({ one: { fast: rate(0.5, 0.98), slow: rate(0.99, 0.5), idle: rate(0.1, 0.1) } })
  expect(tableOf({ title: '', words: '', columns: [column] }, results).slice(2)).toEqual([
    '| fast | ≥ 10.0 |',
    '| slow | 10.0 |',
    '| idle | 10.0 |',
  ])
})

test('a report says where and how it ran, that others were at work, and what is missing', () => {
  const results = resultsWith({ 'requests-64': { router: { perSecond: [5, 7] } } })
  const report = reportOf({
    ...results,
    machine: { ...results.machine, loadBefore: 9 },
    unavailable: { portkey: 'no network' },
    measures: [{ ...results.measures[0]!, missing: { litellm: 'it ended' } }],
  }).join('\n')
  for (const words of [
    '2026-01-02, 0123abcd, 2 cores (one of these)',
    '**not quiet**: the load was 9.0',
    'fsync = on',
    'core 1 to itself',
    'Without portkey: no network',
    '| router | 6.00 ± 1.00 |',
    '- litellm, requests-64: it ended',
    '| not measured |',
  ])
    expect(report).toContain(words)
})
