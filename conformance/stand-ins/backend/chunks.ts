import type { Answer } from './answer.ts'
import type { Behaviour, UsageShape } from './behaviour.ts'
import { opening, saying, sayingNothing } from './deltas.ts'
import type { ModelRequest } from './request.ts'
import { lastUsage, type Position, shapeFor, usageAt } from './usage.ts'

/** One event of a stream; a string is sent as it is. */
export interface StreamEvent {
  readonly data: object | string
  /** It carries a delta of the answer, that is, a fault may count it. */
  readonly piece: boolean
  /** It waits so many milliseconds before it is written, so that it travels alone. */
  readonly apartMs?: number
}

/** How the chunks of one answer name themselves. */
export interface Naming {
  readonly id: string
  readonly created: number
}

/** Ends every stream. */
export const DONE: StreamEvent = { data: '[DONE]', piece: false }

/** Ours: long enough for the chunk before to have been read on its own, or for its reader to have left. */
const APART_MS: Partial<Record<UsageShape, number>> = { 'separate-write': 30, late: 300 }

/** A chunk before it has its name. */
interface Draft {
  readonly choices: readonly object[]
  readonly usage: object
  readonly piece?: boolean
}

/** Every event of a stream that nothing goes wrong with. */
export function composeEvents(
  request: ModelRequest,
  answer: Answer,
  behaviour: Behaviour,
  naming: Naming,
): readonly StreamEvent[] {
  const name = createNamer(request, behaviour, naming)
  const { drafts, last } = composeDrafts(request, answer, behaviour)
  const apartMs = APART_MS[shapeFor(behaviour, request)] ?? 0
  const events = drafts.map((draft) => ({ data: name(draft), piece: draft.piece ?? false }))
  return [
    ...events,
    ...last.map((draft) => ({ data: name(draft), piece: false, apartMs })),
    { ...DONE, apartMs },
  ]
}

function composeDrafts(request: ModelRequest, answer: Answer, behaviour: Behaviour) {
  const { operation } = request
  const shape = shapeFor(behaviour, request)
  const usage = (position: Partial<Position>) => usageAt(shape, answer, position)
  const nothing = sayingNothing(operation)
  const opens = operation === 'chat'
  const drafts: Draft[] = opens ? [{ choices: [choice(opening)], usage: usage({ first: true }) }] : []
  for (const [index, piece] of answer.pieces.entries()) {
    const done = (index + 1) / answer.pieces.length
    const said = choice(saying(operation, piece))
    drafts.push({ choices: [said], usage: usage({ first: !opens && index === 0, done }), piece: true })
  }
  drafts.push({ choices: [choice(nothing, answer.finishReason)], usage: usage({ finish: true, done: 1 }) })
  const counted = lastUsage(shape, answer)
  const choices = shape === 'with-choices' ? [choice(nothing)] : []
  return { drafts, last: counted === undefined ? [] : [{ choices, usage: { usage: counted } }] }
}

function choice(said: object, finish: string | null = null): object {
  return { index: 0, ...said, logprobs: null, finish_reason: finish }
}

function createNamer({ operation, model }: ModelRequest, { wire = {}, fields }: Behaviour, naming: Naming) {
  const object = operation === 'chat' ? 'chat.completion.chunk' : 'text_completion'
  const { created } = naming
  let sequence = 0
  return ({ choices, usage }: Draft): object => {
    sequence += 1
    const id = wire.idPerChunk ? `${naming.id}-${sequence}` : naming.id
    if (wire.idLast) return { object, created, choices, ...usage, ...fields, id, model }
    return { id, object, created, model, choices, ...usage, ...fields }
  }
}
