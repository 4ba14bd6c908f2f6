import type { ErrorCode } from '#contract/errors'
import { type BucketName, bucketNames, type LimitMetrics } from '../limits/metrics.ts'
import { attributes, boundaries, names, PROVIDER } from '../names.ts'
import { operations } from '../operation.ts'
import type { AbortCause, Comparison, Observation, Observe } from '../relay/observation.ts'
import { Family } from './family.ts'
import { Counter, Histogram } from './histogram.ts'
import { counter, gauge, histogram, type Metric } from './metric.ts'

/** A request of any route that is over. */
export interface EndedRequest {
  readonly method: string
  /** The route's template; undefined when the path led nowhere. */
  readonly route: string | undefined
  /** Undefined when nothing was answered. */
  readonly status: number | undefined
  /** Of the refusal, if it was one. */
  readonly code: ErrorCode | undefined
  readonly durationMs: number
}

/** Counts what happens. Each call is a few additions; nothing is done for a chunk of a stream. */
export interface Recorder {
  readonly observe: Observe
  readonly requestEnded: (request: EndedRequest) => void
  readonly limits: LimitMetrics
  /** There are these models, too: what has never happened yet is a zero, so that its first time is a rise. */
  expectModels(models: readonly string[]): void
  readonly metrics: readonly Metric[]
}

const MS = 1_000

/** Creates the counters of one router; `models` are the ids of its configuration. */
export function createRecorder(models: readonly string[]): Recorder {
  const { operation, provider, model, error, tokenType, method, route, status } = attributes
  const duration = new Family(
    [operation, provider, model, error],
    () => new Histogram(boundaries.requestSeconds),
  )
  const firstToken = new Family(
    [operation, provider, model],
    () => new Histogram(boundaries.firstTokenSeconds),
  )
  const perToken = new Family([operation, provider, model], () => new Histogram(boundaries.perTokenSeconds))
  const tokens = new Family([operation, provider, model, tokenType], () => new Histogram(boundaries.tokens))
  const overhead = new Family([operation], () => new Histogram(boundaries.overheadSeconds))
  const http = new Family([method, route, status, error], () => new Histogram(boundaries.httpSeconds))
  const aborted = new Family([model, 'cause'], () => new Counter())
  const withoutUsage = new Family([model], () => new Counter())
  const counted = new Family([model, 'backend'], () => new Counter())
  const reported = new Family([model, 'backend'], () => new Counter())
  const doubtful = new Family([model, 'backend', 'finding'], () => new Counter())
  const refused = new Family(['bucket'], () => new Counter())
  let isLost = false
  for (const bucket of bucketNames) refused.of(bucket)
  expectModels(models)

  function expectModels(ids: readonly string[]): void {
    for (const id of ids) {
      withoutUsage.of(id)
      aborted.of(id, 'unsettled' satisfies AbortCause)
    }
  }

  function observe({ operation, model, end, cause, overheadMs, comparison }: Observation): void {
    const { convention, generates } = operations[operation]
    const { status, usage, usageSource, latencyMs, timeToFirstTokenMs } = end
    duration.of(convention, PROVIDER, model, cause).record(latencyMs / MS)
    tokens.of(convention, PROVIDER, model, 'input').record(usage.promptTokens)
    if (generates) tokens.of(convention, PROVIDER, model, 'output').record(usage.completionTokens)
    if (timeToFirstTokenMs !== null) {
      firstToken.of(convention, PROVIDER, model).record(timeToFirstTokenMs / MS)
      const laterTokens = usage.completionTokens - 1
      if (laterTokens > 0) {
        perToken.of(convention, PROVIDER, model).record((latencyMs - timeToFirstTokenMs) / laterTokens / MS)
      }
    }
    overhead.of(convention).record(Math.max(0, overheadMs) / MS)
    if (cause !== undefined) aborted.of(model, cause).add()
    if (status === 'ok' && usageSource === 'counted') withoutUsage.of(model).add()
    if (comparison !== undefined) compare(model, comparison)
  }

  function compare(model: string, comparison: Comparison): void {
    const { backend, finding, countedMicros, reportedMicros } = comparison
    counted.of(model, backend).add(countedMicros)
    reported.of(model, backend).add(reportedMicros)
    if (finding !== undefined) doubtful.of(model, backend, finding).add()
  }

  function requestEnded({ method, route, status, code, durationMs }: EndedRequest): void {
    http.of(method, route, status, code).record(durationMs / MS)
  }

  return {
    observe,
    requestEnded,
    expectModels,
    limits: {
      refused: (bucket: BucketName) => refused.of(bucket).add(),
      lost(value) {
        isLost = value
      },
    },
    metrics: [
      histogram(names.requestDuration, 's', 'From the arrival of an accepted request to its end.', duration),
      histogram(names.timeToFirstToken, 's', 'From the arrival to the first token of a stream.', firstToken),
      histogram(names.timePerOutputToken, 's', 'Of the tokens of a stream after its first.', perToken),
      histogram(names.tokenUsage, '{token}', 'Tokens as they were billed.', tokens),
      histogram(
        'router.overhead',
        's',
        'Of an accepted request, all time but the call to a backend.',
        overhead,
      ),
      histogram(names.httpDuration, 's', 'Of every request, on any route.', http),
      counter(
        'router.generations.aborted',
        '{generation}',
        'Generations without a proper end, by cause.',
        aborted,
      ),
      counter(
        'router.generations.without_usage',
        '{generation}',
        'Finished answers that came without usage and were metered by the router’s own count.',
        withoutUsage,
      ),
      counter(
        'router.usage.counted',
        '{microdollar}',
        'What generations with usage would cost by the router’s own count.',
        counted,
      ),
      counter('router.usage.reported', '{microdollar}', 'What the same cost by the backend’s.', reported),
      counter(
        'router.usage.doubtful',
        '{generation}',
        'Usage beyond what the request could use (bounded), or below half of what was counted (low).',
        doubtful,
      ),
      counter('router.limits.refused', '{request}', 'Requests that a bucket refused.', refused),
      gauge('router.limits.shared_lost', '1', '1 while the shared store of the buckets is lost.', () => [
        { value: isLost ? 1 : 0 },
      ]),
    ],
  }
}
