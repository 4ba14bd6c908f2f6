import type { Target } from '../load/order.ts'

/** What a subject is started with. */
export interface Place {
  /** For its files; removed with the run. */
  readonly folder: string
  /** Of the model, with `/v1`. */
  readonly backendUrl: string
  /** The core that it is pinned to; undefined where nothing can be. */
  readonly core: number | undefined
}

/** A part of a subject whose processor time is counted apart. */
export interface Role {
  readonly name: string
  /** The first process; what it starts belongs to it. */
  readonly pid: number
}

/** A subject that serves. */
export interface Running {
  readonly target: Target
  /** The same, over TLS, if the subject ends TLS. */
  readonly tlsTarget?: Target
  /** Others of its kind that share the load with it. */
  readonly others?: readonly Target[]
  /** In the order of a request. The database has the name `DATABASE`. */
  readonly roles: readonly Role[]
  /** How many statements its database has executed so far. */
  statements?(): Promise<number>
  stop(): Promise<void>
}

/** A subject that has all it needs (packages, a database, its configuration) and can be started again and again. */
export interface Prepared {
  /** Resolves once it serves. */
  start(): Promise<Running>
  dispose(): Promise<void>
}

/** Something that is measured. */
export interface Subject {
  readonly name: string
  /** What it is, for the report. */
  readonly description: string
  /** What alone is measured of it; everything unless it is said. */
  readonly measures?: readonly string[]
  /** False where its start alone would take much of `--quick`. */
  readonly isQuick?: boolean
  /** Throws `Unavailable` where this machine cannot have it. */
  prepare(place: Place): Promise<Prepared>
}

/** The role that is counted apart from all others. */
export const DATABASE = 'database'

/** This machine cannot have a subject; the message says why. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** Where its chat completions are. */
export function chatOf(origin: string, model = 'tiny-chat', headers: Target['headers'] = {}): Target {
  return { url: `${origin}/chat/completions`, model, headers }
}
