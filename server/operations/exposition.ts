import { printMetrics, type ReadMetric } from '#base/metrics.ts'
import type { Log } from '../log.ts'
import type { Metric } from './metric.ts'

/** All metrics as they are now, in Prometheus' text form; one that cannot be read is left out, and logged. */
export async function expose(metrics: readonly Metric[], log: Log): Promise<string> {
  const read = await Promise.all(metrics.map((metric) => readMetric(metric, log)))
  return printMetrics(read.filter((metric) => metric !== undefined))
}

async function readMetric(metric: Metric, log: Log): Promise<ReadMetric | undefined> {
  try {
    return { ...metric, points: await metric.read() }
  } catch (error) {
    log.warn('a metric could not be read', { metric: metric.name, error })
    return undefined
  }
}
