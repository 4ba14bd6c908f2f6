import { Congestion, type CongestionOptions } from './congestion.ts'

/** Requests that wait to be judged or settled. */
export interface Waiting {
  judged: number
  /** Requests of the present turn, whose bodies may be here or still come. */
  came: number
}

/** Everybody who waits for one database, under a bound of their own: what is slow in one cell is none in another (LIM-49). */
export class Queue {
  readonly all: Waiting = { judged: 0, came: 0 }
  /** Of these, whoever shows no key that is known. */
  readonly strangers: Waiting = { judged: 0, came: 0 }
  readonly congestion: Congestion

  constructor(options: CongestionOptions) {
    this.congestion = new Congestion(options)
  }

  get waiting(): number {
    return this.all.judged + this.all.came
  }

  /** What came in a turn that is over is judged by now, unless its body is still on its way. */
  endTurn(): void {
    this.all.came = 0
    this.strangers.came = 0
  }
}
