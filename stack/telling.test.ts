import { expect, test } from 'vitest'
import { drawBox, widthOf } from './boxes.ts'
import { dollars, micros, price } from './money.ts'
import { createPalette } from './palette.ts'
import { createWrapper } from './wrap.ts'

const plain = createPalette({ isTTY: false }, {})
const coloured = createPalette({ isTTY: true }, {})

test.each([
  [0, '$0.000000', '0 micro-dollars'],
  [1, '$0.000001', '1 micro-dollar'],
  [-23, '-$0.000023', '-23 micro-dollars'],
  [4_999_977, '$4.999977', '4,999,977 micro-dollars'],
  [1_234_567_890_123, '$1,234,567.890123', '1,234,567,890,123 micro-dollars'],
])('%i micro-dollars are shown as %s', (amount, asDollars, asMicros) => {
  expect([dollars(amount), micros(amount)]).toEqual([asDollars, asMicros])
})

test.each([
  [150_000, '$0.15 per million'],
  [600_000, '$0.60 per million'],
  [2_500_001, '$2.500001 per million'],
])('a price of %i is shown as %s', (amount, shown) => {
  expect(price(amount)).toBe(shown)
})

test('colours are for terminals, and only where NO_COLOR does not forbid them', () => {
  expect(coloured.bold('x')).not.toBe('x')
  expect(plain.bold('x')).toBe('x')
  expect(createPalette({ isTTY: true }, { NO_COLOR: '1' }).bold('x')).toBe('x')
  expect(createPalette({ isTTY: true }, { TERM: 'dumb' }).bold('x')).toBe('x')
})

test('a box has aligned columns and straight edges, with colours and without', () => {
  const rows = [
    { label: 'id', value: 'gen-1' },
    { label: 'prompt_tokens', value: '12', remark: 'at $0.15', right: true },
    { label: 'cost', value: '1,234', right: true },
  ]
  const lines = drawBox('Record', rows, plain)
  expect(lines).toEqual([
    '╭─ Record ───────────────────────╮',
    '│ id             gen-1           │',
    '│ prompt_tokens     12  at $0.15 │',
    '│ cost           1,234           │',
    '╰────────────────────────────────╯',
  ])
  expect(new Set(drawBox('Record', rows, coloured).map(widthOf)).size).toBe(1)
})

test('a title wider than its rows keeps the edges straight', () => {
  const lines = drawBox('A title of some length', [{ label: 'a', value: 'b' }], plain)
  expect(new Set(lines.map(widthOf)).size).toBe(1)
})

test('an answer is broken between words, whatever pieces it comes in', () => {
  const said: string[] = []
  const wrapper = createWrapper((text) => said.push(text), 16, '| ')
  for (const piece of ['Hel', 'lo there', ', dear', ' reader of', ' this.\n', '\nNext line'])
    wrapper.write(piece)
  wrapper.end()
  expect(said.join('')).toBe('| Hello there,\n| dear reader of\n| this.\n\n| Next line\n')
})

test('an answer of nothing leaves nothing', () => {
  const said: string[] = []
  const wrapper = createWrapper((text) => said.push(text), 16, '| ')
  wrapper.write('')
  wrapper.end()
  expect(said).toEqual([])
})
