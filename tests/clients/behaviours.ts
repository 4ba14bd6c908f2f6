import { expect, vi } from 'vitest'
import { type Answer, expectAnswer, words } from './answer.ts'
import type { Failure } from './client.ts'
import type { Visit, VisitOptions } from './visit.ts'

/** What a client does with answers; every client does all of it. */
export interface Behaviour extends VisitOptions {
  readonly title: string
  run(visit: Visit): Promise<void>
}

// An abort is noticed within a second on an idle machine; tests share theirs.
const SOON = { timeout: 10_000, interval: 20 }

/** The table. */
export const behaviours: readonly Behaviour[] = [
  {
    title: 'a chat gives text, generation id, router model id, and usage with its three extensions',
    rule: { chunks: words },
    async run(visit) {
      await expectAnswer(visit, (await visit.ask('chat')) as Answer)
    },
  },
  {
    title: 'a stream gives each delta, and at its end the usage that was debited',
    rule: { chunks: words, betweenChunksMs: 20 },
    async run(visit) {
      const answer = (await visit.ask('stream')) as Answer
      expect(answer.deltas).toBe(words.length)
      await expectAnswer(visit, answer)
    },
  },
  {
    title: 'a tool is called, its result goes back, and the answer comes',
    async run(visit) {
      const { text, calls } = (await visit.ask('tools')) as { text: string; calls: object[] }
      expect(calls).toEqual([{ name: 'get_weather', arguments: { city: 'Paris' } }])
      expect(text.split(' ').length).toBeGreaterThan(5)
      const [, second] = visit.received()
      const { messages } = JSON.parse(second!.body)
      const [called, result] = messages.slice(-2)
      expect(result).toMatchObject({ role: 'tool', tool_call_id: called.tool_calls[0].id })
      expect(JSON.stringify(result.content)).toContain('21')
      expect(await visit.books()).toHaveLength(2)
    },
  },
  {
    title: 'an answer of a given shape is asked for by response_format and parsed',
    rule: { chunks: ['{"ci', 'ty": "Pa', 'ris"}'] },
    async run(visit) {
      expect(await visit.ask('structured')).toEqual({ city: 'Paris' })
      const [received] = visit.received()
      const { response_format } = JSON.parse(received!.body)
      expect(response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: { properties: { city: { type: 'string' } } } },
      })
    },
  },
  {
    title: 'embeddings are vectors of numbers, billed by their prompt',
    model: 'embedder',
    async run(visit) {
      const vectors = (await visit.ask('embed')) as number[][]
      expect(vectors.map(({ length }) => length)).toEqual([8, 8])
      expect(vectors.flat().every((each) => each >= -1 && each < 1)).toBe(true)
      expect(new Set(vectors[0]).size).toBeGreaterThan(1)
      const [booked] = await visit.books()
      expect(booked).toMatchObject({ status: 'ok', completionTokens: 0 })
      expect(booked!.promptTokens).toBeGreaterThan(0)
    },
  },
  {
    title: 'an abort in mid-stream makes an aborted record of what was delivered and lets the backend go',
    rule: { chunks: 400, betweenChunksMs: 20 },
    async run(visit) {
      const { id, deltas } = (await visit.ask('abort')) as { id: string; deltas: number }
      expect(deltas).toBeLessThan(20)
      await vi.waitFor(() => expect(visit.received()[0]?.outcome).toBe('client-left'), SOON)
      const [booked, ...others] = await visit.books()
      expect(others).toEqual([])
      expect(booked).toMatchObject({ id, status: 'aborted', streamed: true })
      expect(booked!.completionTokens).toBeGreaterThanOrEqual(deltas)
      expect(booked!.completionTokens).toBeLessThan(200)
      expect(booked!.costMicros).toBeGreaterThan(0)
      expect(visit.seen()).toHaveLength(1)
    },
  },
  {
    title: 'a stream that fails midway throws after what was delivered, and is not tried again',
    rule: { chunks: words, betweenChunksMs: 20, fault: { kind: 'eof', afterChunks: 3 } },
    async run(visit) {
      const { text, failure } = (await visit.ask('broken')) as { text: string; failure?: Failure }
      expect(text).toBe(words.slice(0, 3).join(''))
      expect(failure?.code).toBe('backend_unavailable')
      expect(failure?.message).not.toBe('')
      expect(visit.seen()).toHaveLength(1)
      expect(await visit.books()).toMatchObject([{ status: 'aborted', completionTokens: 3 }])
    },
  },
]
