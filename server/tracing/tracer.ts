import type { Log } from '../log.ts'
import { type Exported, Exporter } from './exporter.ts'
import { createSpanId, createTraceId } from './ids.ts'
import type { Source } from './otlp.ts'
import { RequestTrace } from './request-trace.ts'
import { type Attributes, kinds } from './span.ts'
import { parseTraceparent } from './traceparent.ts'
import type { TracesConfig } from './traces-config.ts'

/** What a tracer needs from the world. */
export interface TracerOptions {
  readonly config: TracesConfig
  readonly source: Source
  readonly log: Log
  /** From 0 to 1. */
  readonly random?: () => number
}

/** Makes the traces of one router; a router that is not configured to trace has none (OPS-23). */
export interface Tracer {
  /** A request begins; `traceparent` is its caller's header. */
  begin(traceparent: string | undefined): RequestTrace
  /** Something that no request has asked for has begun; the result tells how it ended. It is always recorded. */
  beginAlone(name: string): (attributes: Attributes, isError: boolean) => void
  readonly exported: Readonly<Exported>
  /** Sends what is left, for a moment. */
  stop(): Promise<void>
}

/** Creates the tracer of one router. */
export function createTracer({ config, source, log, random = Math.random }: TracerOptions): Tracer {
  const exporter = new Exporter({ config, source, log })
  return {
    begin(traceparent) {
      const caller = parseTraceparent(traceparent)
      const context = {
        traceId: caller?.traceId ?? createTraceId(),
        spanId: createSpanId(),
        isSampled: caller?.isSampled ?? random() < config.ratio,
      }
      return new RequestTrace(context, caller?.spanId, exporter.take)
    },
    beginAlone(name) {
      // One look at the clock that people set: spans of a check that it was set back in would end before they begin.
      const [startMs, begunMs] = [Date.now(), performance.now()]
      return (attributes, isError) =>
        exporter.take({
          traceId: createTraceId(),
          spanId: createSpanId(),
          parentSpanId: undefined,
          name,
          kind: kinds.internal,
          startMs,
          endMs: startMs + performance.now() - begunMs,
          attributes,
          isError,
        })
    },
    exported: exporter.exported,
    stop: () => exporter.stop(),
  }
}
