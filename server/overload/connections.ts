import type { Socket } from 'node:net'
import { hasRoom } from './room.ts'

/** What bounding connections needs. */
export interface ConnectionsOptions {
  /** Read anew each time. */
  readonly most: () => number
  /** Whose a connection is, see `createSourceAddress`. */
  readonly addressOf: (socket: Socket) => string
}

/** What an operator sees. */
export interface ConnectionsUsage {
  readonly open: number
  readonly most: number
  readonly refused: number
}

/** Bounds the connections of clients, each of which takes memory; an address shares them with the others (LIM-50). */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #byAddress = new Map<string, number>()
  #open = 0
  #refused = 0

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** Counts a connection until it is closed; false when it is one too many, and not counted. */
  take(socket: Socket): boolean {
    const { most, addressOf } = this.#options
    const address = addressOf(socket)
    const own = this.#byAddress.get(address) ?? 0
    if (!hasRoom(own, this.#open, most())) {
      this.#refused++
      return false
    }
    this.#byAddress.set(address, own + 1)
    this.#open++
    socket.once('close', () => this.#leave(address))
    return true
  }

  get usage(): ConnectionsUsage {
    return { open: this.#open, most: this.#options.most(), refused: this.#refused }
  }

  #leave(address: string): void {
    this.#open--
    const left = this.#byAddress.get(address)! - 1
    if (left === 0) this.#byAddress.delete(address)
    else this.#byAddress.set(address, left)
  }
}
