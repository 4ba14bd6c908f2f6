import { ApiError } from '../errors.ts'
import type { CongestionOptions } from './congestion.ts'
import { Queue, type Waiting } from './queue.ts'
import { overloaded } from './refusal.ts'
import { hasRoom } from './room.ts'

/** Where a request may be one too many: among all that are in hand, or among those that wait to be judged or settled. */
export const stages = ['held', 'judged'] as const

export type Stage = (typeof stages)[number]

/** How many there are, and may be. */
interface Bounded {
  readonly count: number
  readonly bound: number
}

/** What an operator sees. */
export interface OverloadUsage {
  readonly held: Bounded
  /** Those that wait, by the cell whose database they wait for; it is undefined where there is one database. */
  readonly judged: readonly (Bounded & { readonly cell: string | undefined })[]
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

interface Owner extends Waiting {
  readonly name: string
  /** Whoever shows no key that is known. */
  readonly isStranger: boolean
  /** Where theirs wait. */
  readonly queue: Queue
  held: number
  /** The turn in which `came` was counted. */
  turn: number
}

/** What one may have waiting alone, and beside others, times what is left (LIM-46). */
const TIMES_ALONE = 2
const TIMES_SHARED = 0.5

/** Addresses cost nothing: however many there are, half of each bound is for those whose key is known (ours). */
const PART_OF_STRANGERS = 0.5

/**
 * Bounds what a router has in hand, and shares each bound between those who ask (LIM-44). A look at it compares some
 * numbers.
 */
export class Overload {
  readonly #options: CongestionOptions
  readonly #now: () => number
  readonly #owners = new Map<string, Owner>()
  /** By the cell; those whose cell is not known, or who need none, wait in one of their own. */
  readonly #queues: Map<string | undefined, Queue>
  readonly #refused = { held: 0, judged: 0 }
  #held = 0
  #heldByStrangers = 0
  #turn = 0
  #isTurning = false

  constructor(options: CongestionOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#queues = new Map([[undefined, new Queue(options)]])
  }

  /**
   * Takes a request in hand, for its workspace, or for its source address as long as nobody knows whose its key is
   * (LIM-47). Throws 503 `overloaded` where it is one too many (LIM-45). `cell` is the workspace's, where there are cells.
   */
  enter(address: string, workspaceId: string | undefined, cell?: string): Place {
    const stage = this.refuses(address, workspaceId, cell)
    if (stage !== undefined) throw refusals[stage]
    const name = workspaceId ?? address
    return this.#take(this.#owners.get(name) ?? this.#add(name, workspaceId === undefined, cell))
  }

  /** Where one more of theirs would be one too many, which is counted; undefined: nowhere. */
  refuses(address: string, workspaceId: string | undefined, cell?: string): Stage | undefined {
    const name = workspaceId ?? address
    const isStranger = workspaceId === undefined
    const owner = this.#owners.get(name)
    const queue = owner?.queue ?? this.#queueOf(cell)
    const isAlone = queue.isAlone(name, isStranger, this.#waitingOf(owner), this.#now())
    const times = isAlone ? TIMES_ALONE : TIMES_SHARED
    const stage =
      this.#stageFor(owner, queue, times, queue.all, this.#held, 1) ??
      (isStranger
        ? this.#stageFor(owner, queue, times, queue.strangers, this.#heldByStrangers, PART_OF_STRANGERS)
        : undefined)
    if (stage !== undefined) this.#refused[stage]++
    return stage
  }

  /**
   * Whether anybody could be refused just now; while it is not so, nobody need be asked about. Of a queue that holds less than
   * that even a stranger who has all that waits finds room.
   */
  get isTight(): boolean {
    const most = this.#options.most()
    const isFull = (held: number, part: number) => !hasRoom(held, held, part * most)
    if (isFull(this.#held, 1) || isFull(this.#heldByStrangers, PART_OF_STRANGERS)) return true
    for (const { waiting, congestion } of this.#queues.values()) {
      const { bound } = congestion
      if (bound < most && !hasRoom(waiting, waiting, PART_OF_STRANGERS * bound, TIMES_SHARED)) return true
    }
    return false
  }

  get usage(): OverloadUsage {
    return {
      held: { count: this.#held, bound: this.#options.most() },
      judged: [...this.#queues].map(([cell, { all, congestion }]) => {
        return { cell, count: all.judged, bound: congestion.bound }
      }),
      refused: this.#refused,
    }
  }

  /** Where an owner's next one is too many, of what all of a kind have, who may have that part of each bound. */
  #stageFor(
    owner: Owner | undefined,
    queue: Queue,
    times: number,
    { judged, came }: Waiting,
    held: number,
    part: number,
  ): Stage | undefined {
    const most = this.#options.most()
    if (!hasRoom(owner?.held ?? 0, held, part * most)) return 'held'
    queue.congestion.look(queue.waiting)
    const { bound } = queue.congestion
    if (bound >= most) return undefined
    return hasRoom(this.#waitingOf(owner), judged + came, part * bound, times) ? undefined : 'judged'
  }

  #queueOf(cell: string | undefined): Queue {
    const known = this.#queues.get(cell)
    if (known !== undefined) return known
    const queue = new Queue(this.#options)
    this.#queues.set(cell, queue)
    return queue
  }

  #add(name: string, isStranger: boolean, cell: string | undefined): Owner {
    const queue = this.#queueOf(cell)
    const owner = { name, isStranger, queue, held: 0, judged: 0, came: 0, turn: this.#turn }
    this.#owners.set(name, owner)
    return owner
  }

  #hold(owner: Owner, change: 1 | -1): void {
    owner.held += change
    this.#held += change
    if (owner.isStranger) this.#heldByStrangers += change
  }

  #wait(owner: Owner, what: keyof Waiting, change: 1 | -1): void {
    owner[what] += change
    owner.queue.all[what] += change
    if (owner.isStranger) owner.queue.strangers[what] += change
  }

  /** What has come in this turn will be judged in it, unless its body is still on its way. */
  #waitingOf(owner: Owner | undefined): number {
    if (owner === undefined) return 0
    return owner.judged + (owner.turn === this.#turn ? owner.came : 0)
  }

  #take(owner: Owner): Place {
    const turn = this.#thisTurn()
    if (owner.turn !== turn) Object.assign(owner, { turn, came: 0 })
    this.#hold(owner, 1)
    this.#wait(owner, 'came', 1)
    const { queue } = owner
    if (owner.isStranger) queue.comes(owner.name, true, this.#now())
    let isComing = true
    const begin = (): void => {
      if (isComing && turn === this.#turn) this.#wait(owner, 'came', -1)
      isComing = false
      this.#wait(owner, 'judged', 1)
    }
    return {
      asking: async (ask) => {
        begin()
        try {
          return await ask()
        } finally {
          this.#wait(owner, 'judged', -1)
        }
      },
      judging: async (judge) => {
        const begunAtMs = this.#now()
        let code: string | undefined
        begin()
        try {
          const judged = await judge()
          if (!owner.isStranger) queue.comes(owner.name, false, this.#now())
          return judged
        } catch (error) {
          if (error instanceof ApiError) code = error.code
          throw error
        } finally {
          this.#wait(owner, 'judged', -1)
          // Of a cell that is away: how long that took, or how quickly it was known, tells nothing of the others (OPS-25).
          if (code !== 'overloaded') {
            const isKnown = code !== 'invalid_api_key'
            queue.congestion.judged(this.#now() - begunAtMs, queue.waiting, isKnown)
          }
        }
      },
      settling: async (settle) => {
        const begunAtMs = this.#now()
        this.#wait(owner, 'judged', 1)
        let settled: Awaited<ReturnType<typeof settle>>
        try {
          settled = await settle()
        } finally {
          this.#wait(owner, 'judged', -1)
        }
        // One that fails tells of a database that is away.
        queue.congestion.settled(this.#now() - begunAtMs, queue.waiting)
        return settled
      },
      leave: () => {
        this.#hold(owner, -1)
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
        for (const queue of this.#queues.values()) queue.endTurn()
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
