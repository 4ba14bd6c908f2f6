import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Received } from './journal.ts'

/** What `GET /connections` answers. */
export interface ConnectionReport {
  readonly open: number
  /** Since the start. */
  readonly accepted: number
  /** Requests whose answer has not ended. */
  readonly inFlight: number
  /** How often a client left before its answer was whole. */
  readonly closedEarlyCount: number
  /** The latest of them. */
  readonly closedEarly: readonly ClosedEarly[]
}

/** A client that left: when, in which request, and how many deltas it had been sent. */
export interface ClosedEarly {
  readonly at: string
  readonly sequence: number
  readonly path: string
  readonly chunksSent: number
}

/** Counts sockets and the clients that left early. */
export interface Connections {
  watch(server: Server): void
  numberOf(socket: Socket): number
  leftEarly(entry: Received): void
  report(inFlight: number): ConnectionReport
}

// Ours.
const MAX_CLOSED_EARLY = 1_000

/** Makes a counter of connections. */
export function createConnections(now: () => Date): Connections {
  const numbers = new WeakMap<Socket, number>()
  const closedEarly: ClosedEarly[] = []
  let open = 0
  let accepted = 0
  let closedEarlyCount = 0

  function watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      open += 1
      accepted += 1
      numbers.set(socket, accepted)
      socket.once('close', () => {
        open -= 1
      })
    })
  }

  function leftEarly({ sequence, path, chunksSent }: Received): void {
    closedEarlyCount += 1
    closedEarly.push({ at: now().toISOString(), sequence, path, chunksSent })
    if (closedEarly.length > MAX_CLOSED_EARLY) closedEarly.shift()
  }

  return {
    watch,
    leftEarly,
    numberOf: (socket) => numbers.get(socket) ?? 0,
    report: (inFlight) => ({ open, accepted, inFlight, closedEarlyCount, closedEarly: [...closedEarly] }),
  }
}
