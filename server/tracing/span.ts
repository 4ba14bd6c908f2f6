/** Of OTLP's kinds of a span those that are used here, by their numbers. */
export const kinds = { internal: 1, server: 2, client: 3 } as const

/** What a span says: ids, names, codes and figures (OPS-21). What is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

/** One step of a trace that has ended. */
export interface Span {
  /** 32 digits of hex. */
  readonly traceId: string
  /** 16 digits of hex. */
  readonly spanId: string
  /** Undefined for the first of its trace. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: (typeof kinds)[keyof typeof kinds]
  /** Milliseconds since 1970, with their fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly isError: boolean
}

/** Takes what has ended; must be quick and never throw. */
export type TakeSpan = (span: Span) => void
