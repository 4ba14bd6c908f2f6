import type { FoldedSpan, RequestBody } from '../admission/body-fields.ts'
import type { BodyReading, ReadRequest } from '../admission/reading.ts'
import type { InferenceRequest, JudgedModel } from '../admission/request.ts'
import { ApiError, type ApiErrorDetails } from '../errors.ts'
import type { Operation } from '../operation.ts'

/** A body on its way to the thread that reads it, in the pieces in which it came; their memory goes with it. */
export interface ReadOrder {
  readonly operation: Operation
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  /** Absent where they are those of the order before. */
  readonly models?: readonly JudgedModel[]
}

/** A refusal as it passes between threads, which know no classes. */
interface RefusalMessage extends Pick<ApiError, 'code' | 'message'>, Omit<ApiErrorDetails, 'cause'> {}

type RequestMessage =
  | { readonly refusal: RefusalMessage }
  | { readonly request: Omit<InferenceRequest, 'body'> }

/** What a thread has read; the body's memory comes back with it, in one piece. */
export type ReadMessage =
  | { readonly refusal: RefusalMessage }
  | { readonly failure: string }
  | {
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly span: FoldedSpan
      readonly name: string
      readonly requests: readonly (readonly [string, RequestMessage])[]
    }

/** No name that the router looks for is longer; a body may be little else than names (ours). */
const LONGEST_NAME = 64

/** Makes a message of a reading, for `postMessage`, and lists the memory that goes with it. */
export function toMessage(reading: BodyReading): readonly [ReadMessage, readonly ArrayBuffer[]] {
  if (reading.refusal !== undefined) return [{ refusal: toRefusal(reading.refusal) }, []]
  const { body, name, requests } = reading
  const bytes = body.bytes as Uint8Array<ArrayBuffer>
  const members = body.span.members.map(({ name, folded, ...place }) => ({
    ...place,
    name: name.slice(0, LONGEST_NAME),
    folded: folded?.slice(0, LONGEST_NAME),
  }))
  const message = {
    bytes,
    span: { ...body.span, members },
    name,
    requests: [...requests].map(([id, one]) => [id, toRequest(one)] as const),
  }
  return [message, [bytes.buffer]]
}

/** The reading that was made a message. */
export function toReading(message: Exclude<ReadMessage, { readonly failure: string }>): BodyReading {
  if ('refusal' in message) return { refusal: fromRefusal(message.refusal) }
  const { bytes, span, name, requests } = message
  const body = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), span }
  return { body, name, requests: new Map(requests.map(([id, one]) => [id, fromRequest(one, body)])) }
}

function toRequest(request: ReadRequest): RequestMessage {
  if (request instanceof ApiError) return { refusal: toRefusal(request) }
  // All requests share one body, which goes by itself.
  const { body: _, ...told } = request
  return { request: told }
}

function fromRequest(message: RequestMessage, body: RequestBody): ReadRequest {
  return 'refusal' in message ? fromRefusal(message.refusal) : { body, ...message.request }
}

function toRefusal({ code, message, param, headers, verdict }: ApiError): RefusalMessage {
  return { code, message, param, headers, verdict }
}

function fromRefusal({ code, message, ...details }: RefusalMessage): ApiError {
  return new ApiError(code as 'internal', message, details)
}
