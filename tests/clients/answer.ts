import { expect } from 'vitest'
import type { Visit } from './visit.ts'

/** What a program tells of an answer. */
export interface Answer {
  readonly text: string
  readonly id: string
  readonly model: string
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly cost_micros: number
    readonly endpoint: string
    readonly evidence_digest: string
  }
  readonly deltas?: number
}

/** What the backend is to say, in its chunks. */
export const words = ['It', ' is', ' sunny', ' in', ' Paris', '.']

const GENERATION = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/
const WIRE_DIGEST = /^sha256\/[\w-]{43}$/

/** Compares an answer with what was said, and with what was debited for it. */
export async function expectAnswer(visit: Visit, { text, id, model, usage }: Answer): Promise<void> {
  expect(text).toBe(words.join(''))
  expect(id).toMatch(GENERATION)
  expect(model).toBe('demo/tiny-chat')
  expect(usage.endpoint).toBe('demo')
  expect(usage.evidence_digest).toMatch(WIRE_DIGEST)
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, cost_micros: costMicros } = usage
  const debited = { id, status: 'ok', promptTokens, completionTokens, costMicros, amountMicros: -costMicros }
  expect(await visit.books()).toMatchObject([debited])
  expect(visit.seen()).toHaveLength(1)
}
