import { relayAnswer } from './answer.ts'
import type { BackendConfig } from './backend.ts'
import type { RelayDependencies } from './dependencies.ts'
import { createDrains } from './drains.ts'
import { createFleet, type Fleet } from './fleet.ts'
import type { Observe } from './observation.ts'
import { createSelection } from './selection.ts'
import type { RelayLog } from './settler.ts'
import { relayStream } from './stream.ts'
import type { Tally } from './tally.ts'
import type { RelayTask, RelayTimers } from './task.ts'

/** What the relay is wired with. */
export interface RelayOptions {
  readonly models: readonly { readonly id: string; readonly backends: readonly BackendConfig[] }[]
  readonly timers: RelayTimers
  /** Largest event of a backend's stream. */
  readonly maxEventBytes: number
  readonly log: RelayLog
  readonly observe: Observe
  /** Servers that other relays may call, too; its own when left out. */
  readonly fleet?: Fleet
}

/**
 * Relays accepted requests. Both functions settle the generation exactly once, whatever happens. They resolve when
 * the answer was handed over or the client has left, and throw an `ApiError` when nothing was answered yet:
 * the caller then writes the error, unless the response is gone.
 */
export interface Relay {
  stream(task: RelayTask): Promise<void>
  answer(task: RelayTask): Promise<void>
  /** How busy the backends are, in the order of the configuration. */
  backends(): readonly BackendState[]
  /** Destroys all sockets to backends that no other relay of the fleet has; whatever still runs there fails. */
  close(): Promise<void>
}

/** What an operator may want to know of one backend of a model. */
export interface BackendState {
  readonly model: string
  /** Its place among the model's backends. */
  readonly index: number
  /** Calls that are under way. */
  readonly running: number
  /** Whether it is left alone because it could not be reached, or could not serve, lately. */
  readonly isOpen: boolean
  readonly tally: Readonly<Tally>
}

/** Creates the relay with one pool per configured backend. */
export function createRelay(options: RelayOptions): Relay {
  const { models, timers, maxEventBytes, log, observe } = options
  const { fleet = createFleet(timers.connectMs) } = options
  const { backends, release } = fleet.enlist(models)
  const selections = new Map(models.map(({ id }, index) => [id, createSelection(backends[index]!)]))
  const dependencies: RelayDependencies = {
    timers,
    maxEventBytes,
    drains: createDrains(),
    log,
    observe,
    selectionOf: (model) => selections.get(model) ?? createSelection([]),
  }
  return {
    stream: (task) => relayStream(task, dependencies),
    answer: (task) => relayAnswer(task, dependencies),
    backends: () =>
      models.flatMap(({ id: model }, place) =>
        backends[place]!.map(({ running, health, tally }, index) => {
          return { model, index, running, tally, isOpen: health.state() !== 'closed' }
        }),
      ),
    close: release,
  }
}
