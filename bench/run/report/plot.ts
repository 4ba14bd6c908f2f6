import { type Spread, spreadOf } from '../statistics/spread.ts'
import { showNumber } from './number.ts'

/** Bars side by side, one for each subject. */
export interface Plot {
  readonly title: string
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[]
}

// Pixels.
const LEFT = 90
const WIDTH = 640
const BAR = 18
const STEP = 28
const TOP = 36
/** For the number behind a bar. */
const RIGHT = 110
/** For the powers of ten below the bars. */
const BOTTOM = 24

/** Draws the medians as bars on a scale of powers of ten, which it shows, and a whisker from the least to the most of the rounds. */
export function draw({ title, bars }: Plot): string {
  const rows = bars.map(({ name, values }) => ({ name, spread: spreadOf(values) }))
  const scale = scaleOf(rows.map(({ spread }) => spread))
  const bottom = TOP + rows.length * STEP
  const height = bottom + BOTTOM
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...scale.powers.map((power) => drawPower(power, bottom, scale)),
    ...rows.map(({ name, spread }, at) => drawBar(name, spread, TOP + at * STEP, scale)),
    '</svg>',
    '',
  ].join('\n')
}

/** From figures to the paper. */
interface Scale {
  /** Where a value stands, pixels from the left. */
  x(value: number): number
  /** The powers of ten that it shows. */
  readonly powers: readonly number[]
}

/** It begins a power of ten below the least. */
function scaleOf(spreads: readonly Spread[]): Scale {
  const least = Math.floor(Math.log10(Math.min(...spreads.map((spread) => positive(spread.least)))))
  const most = Math.max(...spreads.map((spread) => Math.log10(positive(spread.most))))
  const perPower = (WIDTH - LEFT - RIGHT) / Math.max(most - least, 1)
  return {
    x: (value) => LEFT + Math.max(0, Math.log10(positive(value)) - least) * perPower,
    powers: Array.from({ length: Math.floor(most) - least + 1 }, (_, step) => 10 ** (least + step)),
  }
}

/** No power of ten is nothing. */
function positive(value: number): number {
  return Math.max(value, 1e-6)
}

/** A line from the first bar to below the last, with what it stands for. */
function drawPower(power: number, bottom: number, { x }: Scale): string {
  const at = x(power).toFixed(1)
  return [
    `<path d="M${at} ${TOP - 6}V${bottom}" stroke="#ccc"/>`,
    `<text x="${at}" y="${bottom + 14}" text-anchor="middle" fill="#666">${showPower(power)}</text>`,
  ].join('')
}

/** 0.01, 1, 1,000. */
function showPower(power: number): string {
  return power.toLocaleString('en-GB', { maximumFractionDigits: 6 })
}

function drawBar(name: string, { median, least, most }: Spread, top: number, { x }: Scale): string {
  const middle = top + BAR / 2
  const round = (value: number): string => x(value).toFixed(1)
  return [
    `<text x="${LEFT - 6}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
    `<rect x="${LEFT}" y="${top}" width="${(x(median) - LEFT).toFixed(1)}" height="${BAR}" fill="#5b8db8"/>`,
    `<path d="M${round(least)} ${middle}H${round(most)}" stroke="#222" stroke-width="2"/>`,
    `<text x="${(x(most) + 6).toFixed(1)}" y="${middle + 4}">${showNumber(median)}</text>`,
  ].join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
