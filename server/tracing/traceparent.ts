/** Which trace a request belongs to, as its caller says (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 digits of hex. */
  readonly traceId: string
  /** The caller's span, 16 digits of hex. */
  readonly spanId: string
  /** Whether the caller has it recorded. */
  readonly isSampled: boolean
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NONE = /^0+$/
const SAMPLED = 1

/** Reads a `traceparent` header. Undefined when there is none or it is malformed: then a trace of one's own begins. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, later] = FORM.exec(header ?? '') ?? []
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return
  // Later versions may add parts behind these; `ff` is none.
  if (version === 'ff' || (version === '00' && later !== undefined)) return
  if (NONE.test(traceId) || NONE.test(spanId)) return
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** Writes it, for whoever is called next. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
