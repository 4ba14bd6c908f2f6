import type { Answer } from './answer.ts'

/** Milliseconds, ours: whoever asks as the router starts is served before this is loaded. */
const PAUSE_MS = 1_000

/** An answer whose code is not loaded yet. */
export interface LateAnswer {
  readonly answer: Answer
  /** Nothing is loaded any more but for a request. */
  stop(): void
}

/**
 * Loads what answers a moment from now, or for the first request that needs it. Should it not load, the process ends with
 * the reason: it is known soon after the start, and not when somebody asks.
 */
export function answerLate(load: () => Promise<Answer>): LateAnswer {
  let answer: Answer | undefined
  let loading: Promise<Answer> | undefined
  const loaded = async (): Promise<Answer> => {
    loading ??= load()
    answer = await loading
    return answer
  }
  const timer = setTimeout(loaded, PAUSE_MS).unref()
  return {
    async answer(request, response) {
      if (answer) return answer(request, response)
      const late = await loaded()
      // Nobody waits for it any more, nor would anybody hear of its end.
      if (!response.closed) late(request, response)
    },
    stop: () => clearTimeout(timer),
  }
}
