import type { Measure, Present } from './measures/measure.ts'
import type { Figures, Tools } from './measures/turn.ts'
import type { Found } from './results.ts'

/** What a run goes through. */
export interface Rounds {
  readonly measures: readonly Measure[]
  readonly subjects: readonly Present[]
  readonly rounds: number
  readonly tools: Tools
  readonly signal: AbortSignal
  /** Told of each turn. */
  onTurn(round: number, measure: Measure, subject: Present, outcome: Figures | Error): void
}

/** Figures of one measure while they come in. */
interface Collected {
  readonly subjects: Record<string, Record<string, number[]>>
  readonly missing: Record<string, string>
}

/**
 * Measures everything of every subject, round by round: what drifts on the machine drifts for all. Whoever was first in
 * one round is last in the next. What fails once is not tried again.
 */
export async function goRounds({
  measures,
  subjects,
  rounds,
  tools,
  signal,
  onTurn,
}: Rounds): Promise<Found[]> {
  const collected = new Map(
    measures.map(({ id }): [string, Collected] => [id, { subjects: {}, missing: {} }]),
  )
  for (let round = 0; round < rounds; round++) {
    for (const measure of measures) {
      const { subjects: figuresOf, missing } = collected.get(measure.id)!
      for (const subject of turned(subjects, round)) {
        if (missing[subject.name] !== undefined || !fits(measure, subject)) continue
        signal.throwIfAborted()
        try {
          const figures = await measure.take(subject, tools)
          figuresOf[subject.name] ??= {}
          add(figuresOf[subject.name]!, figures)
          onTurn(round, measure, subject, figures)
        } catch (thrown) {
          if (signal.aborted) throw thrown
          const error = thrown instanceof Error ? thrown : new Error(String(thrown))
          // Half a row of rounds cannot be paired with the rounds of others.
          delete figuresOf[subject.name]
          missing[subject.name] = error.message
          onTurn(round, measure, subject, error)
        }
      }
    }
  }
  return measures.map(({ id, title }) => ({ id, title, ...collected.get(id)! }))
}

function fits(measure: Measure, subject: Present): boolean {
  return subject.measures?.includes(measure.id) !== false && measure.fits?.(subject) !== false
}

function turned(subjects: readonly Present[], by: number): Present[] {
  const start = by % Math.max(1, subjects.length)
  return [...subjects.slice(start), ...subjects.slice(0, start)]
}

function add(figures: Record<string, number[]>, turn: Figures): void {
  for (const [name, value] of Object.entries(turn)) {
    figures[name] ??= []
    figures[name].push(value)
  }
}
