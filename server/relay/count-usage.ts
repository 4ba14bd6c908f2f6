import { type Awaitable, followed } from '../awaitable.ts'
import type { RunningGeneration, Usage } from '../metering/generation.ts'

/**
 * The router's own count of a generation (MET-09, MET-10). Where it is what will be billed, the backend's tokenizer is
 * waited for, which has been asked long ago and answers within 2 s or never.
 */
export function countUsage(
  { generation, promptCount }: Counted,
  completionTokens: number,
  isBilled: boolean,
): Awaitable<Usage> {
  return followed(isBilled && promptCount ? promptCount.whenKnown : promptCount?.known, (tokens) => {
    return { promptTokens: tokens ?? generation.countedPromptTokens, completionTokens }
  })
}

/** What is counted: a generation, and its prompt's tokens where a backend's tokenizer was asked. */
interface Counted {
  readonly generation: Pick<RunningGeneration, 'countedPromptTokens'>
  readonly promptCount?: PromptCount
}

/** A prompt's tokens as a backend's tokenizer counts them, in its own time. */
export interface PromptCount {
  /** Undefined while it is not known, or for good where the tokenizer failed. */
  readonly known: number | undefined
  /** Resolves when it is known, or never will be; never rejects. */
  readonly whenKnown: Promise<number | undefined>
}

/** Follows a count that is under way. */
export function followCount(counting: Promise<number | undefined>): PromptCount {
  let known: number | undefined
  const whenKnown = counting
    .catch(() => undefined)
    .then((tokens) => {
      known = tokens
      return tokens
    })
  return {
    get known() {
      return known
    },
    whenKnown,
  }
}
