import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationId, routes } from '#contract/routes'
import type { operations } from '#contract/types'
import type { FoundKey } from '../admission/key-finder.ts'
import type { Trace } from '../operations/requests.ts'

/** Operations that the router answers (the contract's routes hold the platform's and the proxy's too). */
export type RouterOperation = {
  [Op in OperationId]: (typeof routes)[Op]['server'] extends 'router' ? Op : never
}[OperationId]

/** What a handler that answers in JSON is given. */
export interface JsonRequest {
  /** The checked key; its workspace is the only one that the answer may speak of. */
  readonly key: FoundKey
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** What a handler that answers in JSON without a key is given. */
export interface PublicRequest {
  /** Whoever asks is known by address alone. */
  readonly incoming: IncomingMessage
  readonly path: Readonly<Record<string, string>>
}

/** The two ends of a request that is answered on Node's own response, byte by byte. */
export interface RawRequest {
  readonly path: Readonly<Record<string, string>>
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  /**
   * What every answer to this request carries beside what stands on `response`; a handler may add to it. Whoever writes
   * a head writes them: set one by one, before that, they cost as much as all of the head.
   */
  readonly headers: Record<string, string>
  /** Monotonic milliseconds (`performance.now()`) at which the request arrived. */
  readonly startedAtMs: number
  /** What the operator's log is told of this request. */
  readonly trace: Pick<Trace, 'requestId' | 'generationId' | 'workspaceId' | 'keyId' | 'spans'>
}

/** Every route sets these itself (app.ts). */
type SharedHeader = 'X-Request-Id'

type Answers<Op extends RouterOperation> = operations[Op]['responses']

/** A success as the contract declares it: its status, its headers, its body. */
export type Reply<Op extends RouterOperation> = {
  [Status in Extract<keyof Answers<Op>, 200>]: {
    readonly status: Status
    readonly body: JsonOf<Answers<Op>[Status]>
  } & HeadersOf<Answers<Op>[Status]>
}[Extract<keyof Answers<Op>, 200>]

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never

type HeadersOf<Answer> = Answer extends { headers: infer Declared }
  ? RequiredOf<Declared> extends never
    ? { readonly headers?: Readonly<Record<string, string>> }
    : { readonly headers: Readonly<Record<RequiredOf<Declared>, string>> }
  : never

type RequiredOf<Declared> = {
  [Name in keyof Declared]-?: Name extends SharedHeader
    ? never
    : string extends Name
      ? never
      : undefined extends Declared[Name]
        ? never
        : Name & string
}[keyof Declared]

/** Answers one operation in JSON, or throws an `ApiError`. */
export type JsonHandler<Op extends RouterOperation> = (request: JsonRequest) => Promise<Reply<Op>>

/** Answers one operation that needs no key in JSON, or throws an `ApiError`. */
export type PublicHandler<Op extends RouterOperation> = (request: PublicRequest) => Promise<Reply<Op>>

/** Answers one operation on the response itself, or throws an `ApiError` before it has begun to. */
export type RawHandler = (request: RawRequest) => Promise<void>

/** One handler for each operation; a missing one, an undeclared status or header does not compile. */
export type Handlers = { readonly [Op in RouterOperation]: HandlerOf<Op> }

type HandlerOf<Op extends RouterOperation> = (typeof routes)[Op]['raw'] extends true
  ? RawHandler
  : (typeof routes)[Op]['key'] extends true
    ? JsonHandler<Op>
    : PublicHandler<Op>
