/** What one process occupied, over the time of a run. */
export interface Series {
  readonly name: string
  readonly points: readonly { readonly seconds: number; readonly value: number }[]
}

/** One picture. */
export interface Chart {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
}

const WIDTH = 900
const HEIGHT = 300
const LEFT = 70
const TOP = 40
const RIGHT = 150
const BOTTOM = 40

const colours = ['#3366cc', '#dc3912', '#ff9900', '#109618', '#990099', '#0099c6'] as const

/** Draws charts below each other, as one SVG document; each begins at zero, so that growth looks as large as it is. */
export function plot(charts: readonly Chart[]): string {
  const height = charts.length * HEIGHT
  const drawn = charts.map(
    (chart, index) => `<g transform="translate(0 ${index * HEIGHT})">${draw(chart)}</g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="white"/>
${drawn.join('\n')}
</svg>
`
}

function draw({ title, unit, series }: Chart): string {
  const all = series.flatMap(({ points }) => points)
  const most = Math.max(1, ...all.map(({ value }) => value))
  const last = Math.max(1, ...all.map(({ seconds }) => seconds))
  const x = (seconds: number) => (LEFT + (seconds / last) * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const y = (value: number) => (HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM)).toFixed(1)
  const lines = series.map(({ name, points }, index) => {
    const colour = colours[index % colours.length]
    const path = points.map(({ seconds, value }) => `${x(seconds)},${y(value)}`).join(' ')
    const label = `<text x="${WIDTH - RIGHT + 10}" y="${TOP + 16 * index}" fill="${colour}">${showText(name)}</text>`
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${label}`
  })
  return [
    `<text x="${LEFT}" y="24" font-size="14">${showText(title)}</text>`,
    `<line x1="${LEFT}" y1="${y(0)}" x2="${WIDTH - RIGHT}" y2="${y(0)}" stroke="black"/>`,
    `<line x1="${LEFT}" y1="${y(0)}" x2="${LEFT}" y2="${TOP}" stroke="black"/>`,
    `<text x="${LEFT - 8}" y="${y(0)}" text-anchor="end">0</text>`,
    `<text x="${LEFT - 8}" y="${y(most)}" text-anchor="end">${Math.round(most)} ${showText(unit)}</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - BOTTOM + 16}" text-anchor="end">${Math.round(last)} s</text>`,
    ...lines,
  ].join('\n')
}

function showText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
