/** Where traces are sent, and how many. */
export interface TracesConfig {
  /** Where a collector takes OTLP over HTTP. */
  readonly url: string
  /** The part of the requests without a `traceparent` that is recorded. */
  readonly ratio: number
  readonly authorization: string | undefined
}
