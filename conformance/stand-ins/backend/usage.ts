import type { Answer } from './answer.ts'
import type { Behaviour, UsageShape } from './behaviour.ts'
import type { ModelRequest } from './request.ts'

/** Where in a stream a chunk stands; `done` is how much of the answer has been said, from 0 to 1. */
export interface Position {
  readonly first: boolean
  readonly finish: boolean
  readonly done: number
}

/** The shape that the script wants, else what the client asked for. */
export function shapeFor({ usage }: Behaviour, { includeUsage, continuousUsage }: ModelRequest): UsageShape {
  if (usage !== undefined) return usage
  if (!includeUsage) return 'none'
  return continuousUsage ? 'every' : 'final'
}

/** What a chunk of the answer says about usage: counts, null, or nothing at all. */
export function usageAt(
  shape: UsageShape,
  answer: Answer,
  { first = false, finish = false, done = 0 }: Partial<Position>,
): object {
  if (shape === 'null-until-end') return { usage: null }
  if (shape === 'every') return { usage: counts(answer, done) }
  if ((shape === 'first' && first) || (shape === 'merged' && finish)) return { usage: counts(answer, 1) }
  return {}
}

/** The usage of the last chunk of a stream, which the finish reason has gone before; undefined when there is none. */
export function lastUsage(shape: UsageShape, answer: Answer): unknown {
  if (shape === 'none' || shape === 'merged' || shape === 'first') return undefined
  return wholeUsage(shape, answer)
}

/** The usage of a JSON body. */
export function wholeUsage(shape: UsageShape | undefined, answer: Answer): unknown {
  if (shape === 'none') return undefined
  if (shape === 'malformed') return 'many'
  if (shape === 'zero') return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  return counts(answer, 1)
}

function counts({ promptTokens, completionTokens }: Answer, done: number): object {
  const completion = Math.floor(completionTokens * done)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
  }
}
