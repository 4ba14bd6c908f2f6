import type { Books, Generation, Key } from './books.ts'
import { newGenerationId } from './books.ts'
import type { Evidence } from './evidence.ts'
import type { Limits } from './limits.ts'
import { costOf, type Model } from './models.ts'

/** What a backend counted. */
export interface Counted {
  readonly prompt: number
  readonly completion: number
}

/** A generation that runs: whose it is, what it is known by, and what was published when it began. */
export interface Running {
  readonly id: string
  readonly key: Key
  readonly model: Model
  readonly beganMs: number
  readonly endpoint: string
  readonly digest: string | null
}

/** Where a generation is booked. */
export interface Ledger {
  readonly books: Books
  readonly limits: Limits
}

/** Begins a generation. */
export function begin(key: Key, model: Model, evidence: Evidence): Running {
  const { hostname, digest } = evidence.of(model.endpoint)
  return { id: newGenerationId(), key, model, beganMs: Date.now(), endpoint: hostname, digest }
}

/** Books what has ended, and tells its cost. */
export function settle(
  { books, limits }: Ledger,
  running: Running,
  status: Generation['status'],
  { prompt, completion }: Counted,
): number {
  const { id, key, model, endpoint, digest, beganMs } = running
  const cost = costOf(model, prompt, completion)
  const tookMs = Date.now() - beganMs
  books.settle(key, {
    ...{ id, model: model.id, endpoint, digest, status, prompt, completion, cost, beganMs, tookMs },
  })
  limits.spend(key, prompt + completion)
  return cost
}

/** `usage` as it is told: with the three members more for chats alone, and a digest in the notation for people. */
export function usageOf({ model, endpoint, digest }: Running, counted: Counted, cost: number): object {
  const { prompt, completion } = counted
  const plain = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }
  return model.does === 'talk' ? { ...plain, cost_micros: cost, endpoint, evidence_digest: digest } : plain
}

/** The record of a generation, in one object with its own names. */
export function recordOf(generation: Generation): object {
  const { id, model, endpoint, digest, status, prompt, completion, cost, beganMs, tookMs } = generation
  return {
    object: 'generation',
    id,
    status,
    model,
    endpoint,
    evidence_digest: digest,
    tokens: { in: prompt, out: completion },
    cost: { micros: String(cost) },
    times: { began: new Date(beganMs).toUTCString(), took: tookMs / 1_000 },
  }
}

/** What a backend says that it counted; undefined where it says none that can be. */
export function countedIn(usage: unknown): Counted | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion = 0 } = (usage ?? {}) as Record<
    string,
    unknown
  >
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  return isCount(prompt) && isCount(completion) ? { prompt, completion } : undefined
}

/** The id by which a text is known to its client. */
export function shownId({ id, model }: Running): string {
  return model.does === 'write' ? id.replace('gen-', 'cmpl-') : id
}
