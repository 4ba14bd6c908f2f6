import type { ApiError } from '../errors.ts'
import { Congestion, type CongestionOptions } from './congestion.ts'
import { overloaded } from './refusal.ts'
import { hasRoom } from './room.ts'

/** Where a request may be one too many: among all that are in hand, or among those that wait to be judged. */
export const stages = ['held', 'judged'] as const

export type Stage = (typeof stages)[number]

/** What an operator sees. */
export interface OverloadUsage {
  readonly count: Readonly<Record<Stage, number>>
  readonly bound: Readonly<Record<Stage, number>>
  readonly refused: Readonly<Record<Stage, number>>
}

/** A request in hand. */
export interface Place {
  /** Does what judges it, which counts while it lasts; how long that takes tells whether there is a queue. */
  judging<Result>(judge: () => Promise<Result>): Promise<Result>
  /** Asks about it beforehand, which counts as well. */
  asking<Result>(ask: () => Promise<Result>): Promise<Result>
  /** To be called once, when its answer has ended. */
  leave(): void
}

/** What somebody has in hand. */
interface Owner {
  readonly name: string
  /** Whoever shows no key that is known. */
  readonly isStranger: boolean
  held: number
  judged: number
  /** Requests of the turn of that number, whose bodies may be here or still come. */
  came: number
  turn: number
}

/** A queue comes in bursts: a turn of the event loop brings all that one has sent meanwhile before it brings another's (ours). */
const TIMES_OF_QUEUE = 1

/** Addresses cost nothing: however many there are, half of what may be in hand is for those whose key is known (ours). */
const PART_OF_STRANGERS = 0.5

/**
 * Bounds what a router has in hand, and shares each bound between those who ask (LIM-44). A look at it compares some
 * numbers.
 */
export class Overload {
  readonly #most: () => number
  readonly #now: () => number
  readonly #congestion: Congestion
  readonly #owners = new Map<string, Owner>()
  readonly #refused = { held: 0, judged: 0 }
  #held = 0
  #heldByStrangers = 0
  #judged = 0
  /** Requests that came in this turn of the event loop and are not judged yet. */
  #came = 0
  #turn = 0
  #isTurning = false

  constructor(options: CongestionOptions) {
    this.#most = options.most
    this.#now = options.now ?? (() => performance.now())
    this.#congestion = new Congestion(options)
  }

  /**
   * Takes a request in hand, for its workspace, or for its source address as long as nobody knows whose its key is
   * (LIM-47). Throws 503 `overloaded` where it is one too many (LIM-45).
   */
  enter(address: string, workspaceId: string | undefined): Place {
    const stage = this.refuses(address, workspaceId)
    if (stage !== undefined) throw refusals[stage]
    const name = workspaceId ?? address
    return this.#take(this.#owners.get(name) ?? this.#add(name, workspaceId === undefined))
  }

  /** Where one more of theirs would be one too many, which is counted; undefined: nowhere. */
  refuses(address: string, workspaceId: string | undefined): Stage | undefined {
    const isFull = workspaceId === undefined && !this.#hasRoomForStrangers
    const stage = isFull ? 'held' : this.#stageFor(this.#owners.get(workspaceId ?? address))
    if (stage !== undefined) this.#refused[stage]++
    return stage
  }

  /** Whether anybody could be refused just now; while it is not so, nobody need be asked about. */
  get isTight(): boolean {
    const most = this.#most()
    if (this.#congestion.bound < most || !this.#hasRoomForStrangers) return true
    return !hasRoom(this.#held, this.#held, most)
  }

  get usage(): OverloadUsage {
    const count = { held: this.#held, judged: this.#judged }
    return { count, bound: { held: this.#most(), judged: this.#congestion.bound }, refused: this.#refused }
  }

  get #hasRoomForStrangers(): boolean {
    return this.#heldByStrangers < PART_OF_STRANGERS * this.#most()
  }

  #stageFor(owner: Owner | undefined): Stage | undefined {
    const most = this.#most()
    if (!hasRoom(owner?.held ?? 0, this.#held, most)) return 'held'
    const waiting = this.#judged + this.#came
    this.#congestion.look(waiting)
    const { bound } = this.#congestion
    const isTight = bound < most && !hasRoom(this.#waitingOf(owner), waiting, bound, TIMES_OF_QUEUE)
    return isTight ? 'judged' : undefined
  }

  #add(name: string, isStranger: boolean): Owner {
    const owner = { name, isStranger, held: 0, judged: 0, came: 0, turn: this.#turn }
    this.#owners.set(name, owner)
    return owner
  }

  /** What has come in this turn will be judged in it, unless its body is still on its way. */
  #waitingOf(owner: Owner | undefined): number {
    if (owner === undefined) return 0
    return owner.judged + (owner.turn === this.#turn ? owner.came : 0)
  }

  #take(owner: Owner): Place {
    const turn = this.#thisTurn()
    if (owner.turn !== turn) Object.assign(owner, { turn, came: 0 })
    owner.held++
    owner.came++
    this.#held++
    if (owner.isStranger) this.#heldByStrangers++
    this.#came++
    let isComing = true
    const asking = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
      if (isComing && turn === this.#turn) {
        owner.came--
        this.#came--
      }
      isComing = false
      owner.judged++
      this.#judged++
      try {
        return await ask()
      } finally {
        owner.judged--
        this.#judged--
      }
    }
    return {
      asking,
      judging: async (judge) => {
        const begunAtMs = this.#now()
        try {
          return await asking(judge)
        } finally {
          this.#congestion.judged(this.#now() - begunAtMs, this.#judged + this.#came)
        }
      },
      leave: () => {
        owner.held--
        this.#held--
        if (owner.isStranger) this.#heldByStrangers--
        if (owner.held === 0) this.#owners.delete(owner.name)
      },
    }
  }

  #thisTurn(): number {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(() => {
        this.#isTurning = false
        this.#turn++
        this.#came = 0
      })
    }
    return this.#turn
  }
}

// Made once: a refusal takes no time to be made.
export const refusals: Readonly<Record<Stage, ApiError>> = {
  held: overloaded('The router has as many requests in hand as it may. Try again shortly.'),
  judged: overloaded('Requests come faster than the router can take them. Try again shortly.'),
}
