import { Congestion, type CongestionOptions } from './congestion.ts'

/** Requests that wait to be judged or settled. */
export interface Waiting {
  judged: number
  /** Requests of the present turn, whose bodies may be here or still come. */
  came: number
}

/** So long after one of another is accepted nobody waits alone (LIM-46). */
const SHARED_MS = 10_000

/** Tells whether more than one came lately. */
class Comers {
  #last: string | undefined
  #cameAtMs = Number.NEGATIVE_INFINITY
  #sharedUntilMs = Number.NEGATIVE_INFINITY

  comes(name: string, nowMs: number): void {
    if (name !== this.#last) this.#sharedUntilMs = this.#cameAtMs + SHARED_MS
    this.#last = name
    this.#cameAtMs = nowMs
  }

  isAlone(name: string, nowMs: number): boolean {
    const anotherUntilMs = name === this.#last ? this.#sharedUntilMs : this.#cameAtMs + SHARED_MS
    return nowMs >= anotherUntilMs
  }
}

/** Everybody who waits for one database, under a bound of their own: what is slow in one cell is none in another (LIM-49). */
export class Queue {
  readonly all: Waiting = { judged: 0, came: 0 }
  /** Of these, whoever shows no key that is known. */
  readonly strangers: Waiting = { judged: 0, came: 0 }
  readonly congestion: Congestion
  readonly #comers = new Comers()
  /** Of these, workspaces of which a request was accepted: what costs nothing must not take a place from anybody. */
  readonly #workspaces = new Comers()

  constructor(options: CongestionOptions) {
    this.congestion = new Congestion(options)
  }

  get waiting(): number {
    return this.all.judged + this.all.came
  }

  /** A stranger comes, or a request of a workspace was accepted. */
  comes(name: string, isStranger: boolean, nowMs: number): void {
    this.#comers.comes(name, nowMs)
    if (!isStranger) this.#workspaces.comes(name, nowMs)
  }

  /** Whether no other one of whom so many wait waits here or came lately, strangers apart unless this is one. */
  isAlone(name: string, isStranger: boolean, own: number, nowMs: number): boolean {
    const others = this.waiting - own - (isStranger ? 0 : this.strangers.judged + this.strangers.came)
    return others === 0 && (isStranger ? this.#comers : this.#workspaces).isAlone(name, nowMs)
  }

  /** What came in a turn that is over is judged by now, unless its body is still on its way. */
  endTurn(): void {
    this.all.came = 0
    this.strangers.came = 0
  }
}
