import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import styles from './bars.module.css'
import { chartColour } from './colour.ts'
import { type Drawing, stacked } from './series.ts'

interface BarsProps {
  readonly drawing: Drawing
  /** A value in words: an amount, or a count. */
  readonly inWords: (value: number) => string
  /** What the drawing shows, for who does not see it. */
  readonly label: string
}

const HEIGHT_PX = 260

/** Stacked bars over time; what stands at the pointer is told beside it. */
export function Bars({ drawing, inWords, label }: BarsProps) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number>()
  const scheme = useComputedColorScheme('light')

  useEffect(() => {
    const element = place.current!
    const options = optionsFor(element, drawing, inWords, setAt)
    const data = [[...drawing.times], ...stacked(drawing.layers)] as uPlot.AlignedData
    const plot = new uPlot(options, data, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [drawing, inWords, scheme])

  return (
    <figure className={styles.figure} aria-label={label}>
      <div ref={place} className={styles.plot} />
      {at !== undefined && drawing.times[at] !== undefined && (
        <div className={styles.told} aria-hidden="true">
          <strong>{bucketInWords(drawing, at)}</strong>
          {drawing.layers.map(
            (layer, index) =>
              layer.values[at]! > 0 && (
                <span key={layer.id} className={styles.row}>
                  <span className={styles.dot} style={{ background: chartColour(index) }} />
                  <bdi className={styles.name}>{layer.name}</bdi>
                  <span className="number">{inWords(layer.values[at]!)}</span>
                </span>
              ),
          )}
        </div>
      )}
    </figure>
  )
}

function optionsFor(
  element: HTMLElement,
  drawing: Drawing,
  inWords: (value: number) => string,
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colourOf = (name: string) => style.getPropertyValue(name)
  const axis = {
    stroke: colourOf('--mantine-color-dimmed'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colourOf('--page-line'), width: 1 },
    ticks: { show: false },
  }
  const count = drawing.layers.length
  const step = drawing.bucket === 'day' ? 86_400 : 3_600
  const last = drawing.times.at(-1) ?? 0
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: () => [(drawing.times[0] ?? 0) - step / 2, last + step / 2] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    tzDate: (seconds) => {
      const date = new Date(seconds * 1_000)
      return drawing.bucket === 'day' ? uPlot.tzDate(date, 'Etc/UTC') : date
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        size: 36,
        values: (_, splits) => splits.map((split) => timeInWords(drawing, split)),
      },
      { ...axis, size: 84, values: (_, splits) => splits.map((split) => inWords(Math.round(split))) },
    ],
    series: [
      {},
      // The whole height is painted first, and what stands below it over it.
      ...Array.from({ length: count }, (_, index) => ({
        fill: colourOf(chartColourName(count - 1 - index)),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.72, 48], radius: 0.08 }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  }
}

/** Days are days of UTC; hours are the reader's own. */
function timeInWords({ bucket, times }: Drawing, seconds: number): string {
  const date = new Date(seconds * 1_000)
  if (bucket === 'day') {
    return new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
      date,
    )
  }
  const isOneDay = times.length <= 48
  return new Intl.DateTimeFormat(
    undefined,
    isOneDay
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { month: 'short', day: 'numeric', hour: '2-digit', hourCycle: 'h23' },
  ).format(date)
}

function chartColourName(index: number): string {
  return `--page-chart-${index + 1}`
}

function bucketInWords({ bucket, times }: Drawing, index: number): string {
  const time = new Date(times[index]! * 1_000)
  const options: Intl.DateTimeFormatOptions =
    bucket === 'day'
      ? { dateStyle: 'medium', timeZone: 'UTC' }
      : { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
  return new Intl.DateTimeFormat(undefined, options).format(time) + (bucket === 'day' ? ' (UTC)' : '')
}
