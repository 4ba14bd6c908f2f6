import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import type { operations } from '#contract/console/types'
import type { Queryable } from '../store/connection.ts'

/** Who is signed in, and as what, at the moment of a request. */
export interface Person {
  readonly sessionId: string
  readonly accountId: string
  readonly email: string
  /** The only workspace that an answer may speak of, unless an administrator asks (CONS-50). */
  readonly workspaceId: string
  /** By the configuration in force, not by the session (CONS-53). */
  readonly isAdministrator: boolean
}

/**
 * Changes something in one transaction, which is committed before the caller is told that it failed, or never (CONS-62).
 */
export type Change = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>

/** What a handler is given: everything is checked against the contract, but for the meaning of its texts. */
export interface ConsoleRequest<Op extends ConsoleOperationId> {
  readonly person: RouteOf<Op>['session'] extends true ? Person : undefined
  readonly path: Readonly<Record<NamesIn<RouteOf<Op>['path']>, string>>
  /** As they were sent; names that the contract does not know were refused before. */
  readonly query: Readonly<Partial<Record<RouteOf<Op>['query'][number], string>>>
  readonly body: BodyOf<Op>
  /** Whatever it writes goes through this. */
  readonly change: RouteOf<Op>['method'] extends 'get' ? undefined : Change
  /** For what only the connection tells: its address, and the cookies of a sign-in. */
  readonly incoming: IncomingMessage
}

/** As `ConsoleRequest`, of a request that is answered on Node's own response. */
export interface RawConsoleRequest<Op extends ConsoleOperationId> extends ConsoleRequest<Op> {
  readonly response: ServerResponse
  /** Headers that every answer to this request carries. */
  readonly headers: Readonly<Record<string, string>>
}

/** A success as the contract declares it: its status, its headers, its body. */
export type ConsoleReply<Op extends ConsoleOperationId> = {
  [Status in SuccessOf<Op>]: { readonly status: Status } & BodyPart<AnswersOf<Op>[Status]> &
    HeaderPart<AnswersOf<Op>[Status]>
}[SuccessOf<Op>]

/** Answers one operation in JSON, or throws an `ApiError`. */
export type ConsoleHandler<Op extends ConsoleOperationId> = (
  request: ConsoleRequest<Op>,
) => Promise<ConsoleReply<Op>>

/** Answers one operation on the response itself, or throws an `ApiError` before it has begun to. */
export type RawConsoleHandler<Op extends ConsoleOperationId> = (
  request: RawConsoleRequest<Op>,
) => Promise<void>

/** One handler for each operation; a missing one, an undeclared status or header does not compile. */
export type ConsoleHandlers = {
  readonly [Op in ConsoleOperationId]: RouteOf<Op>['raw'] extends true
    ? RawConsoleHandler<Op>
    : ConsoleHandler<Op>
}

/** Operations that take a body, with what they take. */
export type ConsoleBodies = {
  [Op in ConsoleOperationId as BodyOf<Op> extends undefined ? never : Op]: BodyOf<Op>
}

type RouteOf<Op extends ConsoleOperationId> = (typeof consoleRoutes)[Op]

type AnswersOf<Op extends ConsoleOperationId> = operations[Op]['responses']

type SuccessOf<Op extends ConsoleOperationId> = Extract<keyof AnswersOf<Op>, 200 | 201 | 202 | 204>

type BodyOf<Op extends ConsoleOperationId> = operations[Op] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : undefined

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type BodyPart<Answer> = Answer extends { content: { 'application/json': infer Body } }
  ? { readonly body: Body }
  : { readonly body?: never }

/** Every answer carries these without its handler (no-store, and the request's id). */
type SharedHeader = 'X-Request-Id' | 'Cache-Control'

type HeaderPart<Answer> = Answer extends { headers: infer Declared }
  ? Record<never, never> extends OwnHeaders<Declared>
    ? { readonly headers?: OwnHeaders<Declared> }
    : { readonly headers: OwnHeaders<Declared> }
  : never

/** The declared names alone, without the index that stands for all the others. */
type OwnHeaders<Declared> = {
  readonly [Name in keyof Declared as string extends Name
    ? never
    : Name extends SharedHeader
      ? never
      : Name]: Declared[Name]
}
