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

/** Draws the medians as bars on a scale of powers of ten, and a whisker from the least to the most of the rounds. */
export function draw({ title, bars }: Plot): string {
  const rows = bars.map(({ name, values }) => ({ name, spread: spreadOf(values) }))
  const scale = scaleOf(rows.map(({ spread }) => spread))
  const height = TOP + rows.length * STEP + 8
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...rows.map(({ name, spread }, at) => drawBar(name, spread, TOP + at * STEP, scale)),
    '</svg>',
    '',
  ].join('\n')
}

/** Where on the paper a value stands; the scale begins a power of ten below the least. */
function scaleOf(spreads: readonly Spread[]): (value: number) => number {
  const least = Math.floor(Math.log10(Math.min(...spreads.map((spread) => positive(spread.least)))))
  const most = Math.max(...spreads.map((spread) => Math.log10(positive(spread.most))))
  const perPower = (WIDTH - LEFT - RIGHT) / Math.max(most - least, 1)
  return (value) => LEFT + Math.max(0, Math.log10(positive(value)) - least) * perPower
}

/** No power of ten is nothing. */
function positive(value: number): number {
  return Math.max(value, 1e-6)
}

function drawBar(
  name: string,
  { median, least, most }: Spread,
  top: number,
  scale: (value: number) => number,
): string {
  const middle = top + BAR / 2
  const round = (value: number): string => scale(value).toFixed(1)
  return [
    `<text x="${LEFT - 6}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
    `<rect x="${LEFT}" y="${top}" width="${(scale(median) - LEFT).toFixed(1)}" height="${BAR}" fill="#5b8db8"/>`,
    `<path d="M${round(least)} ${middle}H${round(most)}" stroke="#222" stroke-width="2"/>`,
    `<text x="${(scale(most) + 6).toFixed(1)}" y="${middle + 4}">${showNumber(median)}</text>`,
  ].join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
