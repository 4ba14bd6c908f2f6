import { PROVIDER, attributes as shared, spanAttributes } from '../names.ts'
import { type Operation, operations } from '../operation.ts'
import { createSpanId } from './ids.ts'
import { type Attributes, kinds, type Span, type TakeSpan } from './span.ts'
import { formatTraceparent, type TraceContext } from './traceparent.ts'

/** A call to a backend or an upstream that is about to be made. */
export interface CallTarget {
  /** What metrics call it. */
  readonly name: string
  /** Base URL. */
  readonly url: string
  /** What it is called where its address names a machine alone. */
  readonly hostname?: string | undefined
}

/** What is being served. */
export interface Served {
  readonly operation: Operation
  /** Router model id. */
  readonly model: string
}

interface RunningCall {
  readonly spanId: string
  readonly startedMs: number
  readonly name: string
  readonly attributes: Attributes
}

/** What one request spends its time on. Where it is not recorded it passes its trace on, and tells nothing. */
export class RequestTrace {
  readonly #context: TraceContext
  readonly #parentSpanId: string | undefined
  readonly #take: TakeSpan
  /** From `performance.now()` to milliseconds since 1970. */
  readonly #epochMs = Date.now() - performance.now()
  #call: RunningCall | undefined
  /** Of the request as a whole, and of what serves it. */
  #attributes: Attributes = {}

  /** `context` has the request's own span, whose parent is the caller's. */
  constructor(context: TraceContext, parentSpanId: string | undefined, take: TakeSpan) {
    this.#context = context
    this.#parentSpanId = parentSpanId
    this.#take = take
  }

  /** Has a step of the request be a span, whether it succeeds or not. */
  async step<Result>(name: string, act: () => Promise<Result>, attributes: Attributes = {}): Promise<Result> {
    const startedMs = performance.now()
    let isError = true
    try {
      const result = await act()
      isError = false
      return result
    } finally {
      this.#tell({ name, kind: kinds.internal, startedMs, attributes, isError })
    }
  }

  /** A call begins, and the one before it has led nowhere. Gives the `traceparent` that it is to carry. */
  calling({ operation, model }: Served, { name, url, hostname }: CallTarget): string {
    this.called('refused')
    const { convention } = operations[operation]
    const at = new URL(url)
    const spanId = createSpanId()
    const what = { [shared.operation]: convention, [shared.provider]: PROVIDER }
    this.#attributes = { ...what, [spanAttributes.servedModel]: model }
    this.#call = {
      spanId,
      startedMs: performance.now(),
      name: `${convention} ${model}`,
      attributes: {
        ...what,
        [shared.model]: model,
        [spanAttributes.backend]: name,
        [spanAttributes.serverAddress]: hostname ?? at.hostname,
        [spanAttributes.serverPort]: Number(at.port || (at.protocol === 'https:' ? '443' : '80')),
      },
    }
    return formatTraceparent({ ...this.#context, spanId })
  }

  /** The first token of a stream has been handed over. */
  firstToken(): void {
    if (this.#call === undefined) return
    const { startedMs, spanId } = this.#call
    this.#tell({ name: 'router.first_token', kind: kinds.internal, startedMs, parentSpanId: spanId })
  }

  /** The call that runs has ended, with a cause where it did not come to its end. */
  called(cause: string | undefined): void {
    if (this.#call === undefined) return
    const { attributes, ...call } = this.#call
    this.#call = undefined
    const isError = cause !== undefined
    this.#tell({ ...call, kind: kinds.client, attributes: { ...attributes, [shared.error]: cause }, isError })
  }

  /** The request is over: its own span, the parent of all others. */
  end(name: string, startedMs: number, attributes: Attributes, isError: boolean): void {
    const { spanId } = this.#context
    this.#tell({
      name,
      kind: kinds.server,
      startedMs,
      spanId,
      parentSpanId: this.#parentSpanId,
      attributes: { ...this.#attributes, ...attributes },
      isError,
    })
  }

  #tell({
    startedMs,
    spanId = createSpanId(),
    attributes = {},
    isError = false,
    ...step
  }: Pick<Span, 'name' | 'kind'> & { startedMs: number } & Partial<
      Pick<Span, 'spanId' | 'parentSpanId' | 'attributes' | 'isError'>
    >): void {
    const { traceId, isSampled } = this.#context
    if (!isSampled) return
    const parentSpanId = 'parentSpanId' in step ? step.parentSpanId : this.#context.spanId
    const { name, kind } = step
    const startMs = this.#epochMs + startedMs
    const endMs = this.#epochMs + performance.now()
    this.#take({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, isError })
  }
}
