import type { Ending, SeenUsage } from './sighting.ts'

/** All that came of an answer. */
export interface Came {
  readonly status: number
  readonly text: string
  readonly streamed: boolean
  /** Whether its framing was complete. */
  readonly isEnded: boolean
  /** Whether the client went away by itself. */
  readonly hasLeft: boolean
}

/** What its end says. */
export interface End {
  readonly ending: Ending
  readonly code: string | undefined
  readonly usage: SeenUsage | undefined
}

interface Piece {
  readonly error?: { readonly code?: string }
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly cost_micros: number
  } | null
}

const DONE = '[DONE]'

/** Reads the end of an answer, as a client does that trusts nothing but what it has in its hands. */
export function readEnd({ status, text, streamed, isEnded, hasLeft }: Came): End {
  const isStream = streamed && status === 200
  const pieces = isStream ? eventsOf(text) : isEnded ? [text] : []
  const read = pieces.filter((piece) => piece !== DONE).map(parse)
  const failed = read.find((piece) => piece?.error)
  const code = failed?.error?.code
  const usage = usageOf(read.findLast((piece) => piece?.usage))
  if (failed) return { ending: 'told', code, usage }
  const isWhole = isEnded && status === 200 && read.every(Boolean) && (!isStream || pieces.at(-1) === DONE)
  if (isWhole) return { ending: 'whole', code, usage }
  if (hasLeft) return { ending: 'left', code, usage }
  return { ending: isEnded && status !== 200 && status !== 0 ? 'told' : 'cut', code, usage }
}

/** Data of the events whose end has come. */
function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
}

function parse(text: string): Piece | undefined {
  try {
    return JSON.parse(text) as Piece
  } catch {
    return undefined
  }
}

function usageOf(piece: Piece | undefined): SeenUsage | undefined {
  if (!piece?.usage) return undefined
  const { prompt_tokens, completion_tokens, cost_micros } = piece.usage
  return { promptTokens: prompt_tokens, completionTokens: completion_tokens, costMicros: cost_micros }
}
