import { ApiError } from '../errors.ts'
import { Congestion, type CongestionOptions } from './congestion.ts'
import { overloaded } from './refusal.ts'
import { hasRoom } from './room.ts'

/** Where a request may be one too many: among all that are in hand, or among those that wait to be judged or settled. */
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
  /** Does what settles it, which counts and tells as well. */
  settling<Result>(settle: () => Promise<Result>): Promise<Result>
  /** To be called once, when its answer has ended. */
  leave(): void
}

/** What somebody has in hand, or several together. */
interface Load {
  held: number
  /** Those that wait to be judged or settled. */
  judged: number
  /** Requests of the present turn, whose bodies may be here or still come. */
  came: number
}

interface Owner extends Load {
  readonly name: string
  /** Whoever shows no key that is known. */
  readonly isStranger: boolean
  /** The turn in which `came` was counted. */
  turn: number
}

/** A queue comes in bursts: a turn of the event loop brings all that one has sent meanwhile before it brings another's (ours). */
const TIMES_OF_QUEUE = 1

/** Addresses cost nothing: however many there are, half of each bound is for those whose key is known (ours). */
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
  readonly #all: Load = { held: 0, judged: 0, came: 0 }
  readonly #strangers: Load = { held: 0, judged: 0, came: 0 }
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
    const owner = this.#owners.get(workspaceId ?? address)
    const isStranger = workspaceId === undefined
    const stage =
      this.#stageFor(owner, this.#all, 1) ??
      (isStranger ? this.#stageFor(owner, this.#strangers, PART_OF_STRANGERS) : undefined)
    if (stage !== undefined) this.#refused[stage]++
    return stage
  }

  /** Whether anybody could be refused just now; while it is not so, nobody need be asked about. */
  get isTight(): boolean {
    const most = this.#most()
    const isFull = ({ held }: Load, part: number) => !hasRoom(held, held, part * most)
    return this.#congestion.bound < most || isFull(this.#all, 1) || isFull(this.#strangers, PART_OF_STRANGERS)
  }

  get usage(): OverloadUsage {
    const { held, judged } = this.#all
    const bound = { held: this.#most(), judged: this.#congestion.bound }
    return { count: { held, judged }, bound, refused: this.#refused }
  }

  /** Where an owner's next one is too many, of what all of a kind have, who may have that part of each bound. */
  #stageFor(owner: Owner | undefined, all: Load, part: number): Stage | undefined {
    const most = this.#most()
    if (!hasRoom(owner?.held ?? 0, all.held, part * most)) return 'held'
    this.#congestion.look(this.#waiting)
    const { bound } = this.#congestion
    const waiting = all.judged + all.came
    const isTight = bound < most && !hasRoom(this.#waitingOf(owner), waiting, part * bound, TIMES_OF_QUEUE)
    return isTight ? 'judged' : undefined
  }

  #add(name: string, isStranger: boolean): Owner {
    const owner = { name, isStranger, held: 0, judged: 0, came: 0, turn: this.#turn }
    this.#owners.set(name, owner)
    return owner
  }

  #count(owner: Owner, what: keyof Load, change: 1 | -1): void {
    owner[what] += change
    this.#all[what] += change
    if (owner.isStranger) this.#strangers[what] += change
  }

  get #waiting(): number {
    return this.#all.judged + this.#all.came
  }

  /** What has come in this turn will be judged in it, unless its body is still on its way. */
  #waitingOf(owner: Owner | undefined): number {
    if (owner === undefined) return 0
    return owner.judged + (owner.turn === this.#turn ? owner.came : 0)
  }

  #take(owner: Owner): Place {
    const turn = this.#thisTurn()
    if (owner.turn !== turn) Object.assign(owner, { turn, came: 0 })
    this.#count(owner, 'held', 1)
    this.#count(owner, 'came', 1)
    let isComing = true
    const waiting = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      this.#count(owner, 'judged', 1)
      try {
        return await work()
      } finally {
        this.#count(owner, 'judged', -1)
      }
    }
    const asking = <Result>(ask: () => Promise<Result>): Promise<Result> => {
      if (isComing && turn === this.#turn) this.#count(owner, 'came', -1)
      isComing = false
      return waiting(ask)
    }
    return {
      asking,
      judging: async (judge) => {
        const begunAtMs = this.#now()
        let code: string | undefined
        try {
          return await asking(judge)
        } catch (error) {
          if (error instanceof ApiError) code = error.code
          throw error
        } finally {
          // Of a cell that is away: how long that took, or how quickly it was known, tells nothing of the others (OPS-25).
          if (code !== 'overloaded') {
            const isKnown = code !== 'invalid_api_key'
            this.#congestion.judged(this.#now() - begunAtMs, this.#waiting, isKnown)
          }
        }
      },
      settling: async (settle) => {
        const begunAtMs = this.#now()
        const settled = await waiting(settle)
        // One that fails tells of a database that is away.
        this.#congestion.settled(this.#now() - begunAtMs, this.#waiting)
        return settled
      },
      leave: () => {
        this.#count(owner, 'held', -1)
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
        this.#all.came = 0
        this.#strangers.came = 0
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
