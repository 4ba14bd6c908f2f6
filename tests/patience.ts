import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rule } from '../conformance/stand-ins/backend/script.ts'
import { type Account, type Service, startService } from './service.ts'

const SECOND = 1_000
const MINUTE = 60_000

/** A slow answer, and what its client sees of it. Times are real ones; a scaled run divides them all. */
interface SlowAnswer {
  readonly title: string
  readonly rule: Rule
  readonly streamed: boolean
  /** Least time until the end. */
  readonly lastsMs: number
  /** Least number of pings. */
  readonly pings: number
  /** Undefined: it comes to its end. */
  readonly error?: 'backend_unavailable'
}

/** Nearly the ten minutes that a backend has for its first byte; near enough for a busy machine, at any scale. */
const lateMs = (scale: number): number => 10 * MINUTE - Math.max(5 * SECOND, 300 * scale)

const answersAt = (scale: number): readonly SlowAnswer[] => [
  {
    title: 'a stream may take 20 minutes, a chunk every 5 s',
    rule: { chunks: 241, betweenChunksMs: 5 * SECOND },
    streamed: true,
    lastsMs: 20 * MINUTE,
    pings: 0,
  },
  {
    title: 'a stream may take 20 minutes with pauses of 100 s',
    rule: { chunks: 13, betweenChunksMs: 100 * SECOND },
    streamed: true,
    lastsMs: 20 * MINUTE,
    pings: 0,
  },
  {
    title: 'the first token may take nearly ten minutes, with pings meanwhile',
    rule: { beforeHeadersMs: lateMs(scale) },
    streamed: true,
    lastsMs: lateMs(scale),
    pings: 36,
  },
  {
    title: 'the first token may take as long after the backend’s headers, too',
    rule: { beforeFirstChunkMs: lateMs(scale) },
    streamed: true,
    lastsMs: lateMs(scale),
    pings: 36,
  },
  {
    title: 'a whole answer may take nearly ten minutes',
    rule: { beforeHeadersMs: lateMs(scale) },
    streamed: false,
    lastsMs: lateMs(scale),
    pings: 0,
  },
  {
    title: 'a backend that says nothing for ten minutes is given up',
    rule: { fault: { kind: 'silence' } },
    streamed: true,
    lastsMs: 10 * MINUTE,
    pings: 38,
    error: 'backend_unavailable',
  },
  {
    title: 'a backend that stalls for two minutes is given up',
    rule: { fault: { kind: 'stall', afterChunks: 3 } },
    streamed: true,
    lastsMs: 2 * MINUTE,
    pings: 0,
    error: 'backend_unavailable',
  },
]

/** Defines the tests of patience (T-02), all at the same time; everything that waits is `scale` times shorter. */
export function definePatience(scale: number, limitMs: number): void {
  const scaled = (ms: number) => Math.round(ms / scale)
  const answers = answersAt(scale)
  let service: Service
  let account: Account

  beforeAll(async () => {
    const [firstByteMs, idleMs, pingMs] = [10 * MINUTE, 2 * MINUTE, 15 * SECOND].map(scaled)
    service = await startService({ timers: { firstByteMs: firstByteMs!, idleMs: idleMs!, pingMs: pingMs! } })
    account = await service.createAccount(5_000_000n)
    const rules = answers.map(({ rule }, index) => ({
      ...rule,
      name: `patience-${index}`,
      beforeHeadersMs: scaled(rule.beforeHeadersMs ?? 0),
      beforeFirstChunkMs: scaled(rule.beforeFirstChunkMs ?? 0),
      betweenChunksMs: scaled(rule.betweenChunksMs ?? 0),
    }))
    await service.backend.play({ rules })
  })

  afterAll(() => service.stop())

  for (const [index, { title, streamed, lastsMs, pings, error }] of answers.entries()) {
    test.concurrent(
      title,
      async () => {
        const begun = performance.now()
        const ticks = countTicks(scaled(15 * SECOND))
        const response = await ask(`patience-${index}`, streamed)
        const answer = await text(response)
        // A timer of ours beside the router's: of what it lost on a busy machine, the router lost as much.
        const lost = Math.max(0, Math.floor((performance.now() - begun) / scaled(15 * SECOND)) - ticks())
        expect(performance.now() - begun).toBeGreaterThan(scaled(lastsMs) * 0.99)
        expect(response.statusCode).toBe(200)
        expect(answer.match(/^: ping$/gm)?.length ?? 0).toBeGreaterThanOrEqual(pings - lost)
        if (streamed) expect(answer.endsWith('data: [DONE]\n\n')).toBe(true)
        expect(answer.includes('"error"')).toBe(error !== undefined)
        if (error !== undefined) expect(answer).toContain(`"code":"${error}"`)
        const id = response.headers['x-router-generation-id'] as string
        const [row] = await service.sql<{ status: string; latency_ms: number }[]>`
          select status, latency_ms from generations where id = ${id}`
        expect(row!.status).toBe(error === undefined ? 'ok' : 'aborted')
        expect(row!.latency_ms).toBeGreaterThan(scaled(lastsMs) * 0.99)
      },
      limitMs,
    )
  }

  /** Counts how often an interval really comes to its end in this process, until it is asked. */
  function countTicks(intervalMs: number): () => number {
    let count = 0
    const timer = setInterval(() => count++, intervalMs)
    return () => {
      clearInterval(timer)
      return count
    }
  }

  /** `fetch` would itself give up after five minutes without a byte. */
  function ask(script: string, stream: boolean): Promise<IncomingMessage> {
    const messages = [{ role: 'user', content: `Hello [script:${script}]` }]
    const body = JSON.stringify({ model: 'demo/tiny-chat', messages, stream })
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' }
      const request = httpRequest(`${service.baseUrl}/chat/completions`, {
        method: 'POST',
        headers,
        agent: false,
      })
      request.on('response', resolve).on('error', reject)
      request.end(body)
    })
  }
}
