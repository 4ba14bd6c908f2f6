import type { Attributes, Span } from './span.ts'

/** What every span of this router is told to come from. */
export interface Source {
  readonly service: string
  readonly version: string
  /** The name under which this router holds its lease. */
  readonly instance: string
}

const ERROR = 2
const SAMPLED = 1

/** A batch of spans as OTLP has it in JSON: ids in hex, enumerations as numbers, nanoseconds as text. */
export function exportRequest(spans: readonly Span[], { service, version, instance }: Source): object {
  const resource = {
    'service.name': service,
    'service.version': version,
    'service.instance.id': instance,
  }
  const scopeSpans = [{ scope: { name: service, version }, spans: spans.map(toOtlp) }]
  return { resourceSpans: [{ resource: { attributes: toKeyValues(resource) }, scopeSpans }] }
}

/** How many spans of a batch a collector has not taken, as its answer says; what cannot be read says nothing. */
export function refusedSpans(answer: string, most: number): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: unknown } }
    // A 64-bit number is text in JSON, as Protobuf has it.
    const count = Number(partialSuccess?.rejectedSpans ?? 0)
    return Number.isInteger(count) && count > 0 ? Math.min(count, most) : 0
  } catch {
    return 0
  }
}

function toOtlp({ startMs, endMs, attributes, isError, parentSpanId, ...span }: Span): object {
  return {
    ...span,
    ...(parentSpanId !== undefined && { parentSpanId }),
    flags: SAMPLED,
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toKeyValues(attributes),
    status: isError ? { code: ERROR } : {},
  }
}

function toKeyValues(attributes: Attributes): object[] {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: toValue(value!) }))
}

function toValue(value: string | number): object {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Microseconds are exact in a number until the year 2255. */
function toNanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`
}
