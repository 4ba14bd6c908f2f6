import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { limits } from '#contract/limits'
import { asApiError } from '../../errors.ts'
import { membersOf } from '../../json/members.ts'
import type { GenerationEnd, Receipt, RunningGeneration } from '../../metering/generation.ts'
import type { Operation } from '../../operation.ts'
import type { BackendConfig } from '../backend.ts'
import { followCount, type PromptCount } from '../count-usage.ts'
import { keepBody } from '../kept-body.ts'
import type { Observation } from '../observation.ts'
import { createRelay } from '../relay.ts'
import type { RelayTask, RelayTimers } from '../task.ts'
import { type Script, startBackend } from './backend.ts'

/** The generation that every request of these tests becomes. */
export const GENERATION_ID = 'gen-01JZZZZZZZZZZZZZZZZZZZZZZZ'
const REQUEST_ID = 'req-1'
export const MODEL = 'demo/tiny-chat'
export const COUNTED_PROMPT_TOKENS = 11
const KEY = {
  workspaceId: 'ws_1',
  keyId: 'key_1',
  requestsPerMinute: null,
  tokensPerMinute: null,
  workspaceRequestsPerMinute: null,
  workspaceTokensPerMinute: null,
}
const RECEIPT: Receipt = { costMicros: 23, ledgerId: 'led_1' }

/** What a test changes about its world. */
export interface WorldOptions {
  readonly script?: Script
  /** Backends of one's own, in place of the scripted one. */
  readonly backends?: readonly BackendConfig[]
  readonly backend?: Partial<BackendConfig>
  /** Models beside the one that requests name. */
  readonly models?: readonly { readonly id: string; readonly backends: readonly BackendConfig[] }[]
  readonly fallbacks?: NonNullable<RelayTask['fallbacks']>
  readonly timers?: Partial<RelayTimers>
  readonly maxEventBytes?: number
  readonly operation?: Operation
  readonly outputCapTokens?: number
  readonly promptCount?: Promise<number | undefined> | PromptCount
  readonly streamed?: boolean
  readonly includeUsage?: boolean
  readonly body?: string
  readonly signal?: AbortSignal
  readonly refusesToMove?: boolean
  readonly passage?: NonNullable<RelayTask['passage']>
  readonly settle?: (outcome: GenerationEnd) => Promise<Receipt>
}

/** A client's answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const paths = { chat: '/chat/completions', completions: '/completions', embeddings: '/embeddings' }
const open: (() => Promise<void>)[] = []

/** Closes everything that the test has opened. */
export async function closeWorlds(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close()
}

/** A router that is nothing but the relay, between a scripted backend and real sockets. */
export async function startWorld(options: WorldOptions = {}) {
  const { operation = 'chat', streamed = true, includeUsage = false } = options
  const outcomes: GenerationEnd[] = []
  const progress: number[] = []
  const moves: string[] = []
  const warnings: string[] = []
  const lines: object[] = []
  const logged: string[] = []
  const thrown: unknown[] = []
  const observations: Observation[] = []
  const backend = await startBackend(options.script ?? (() => {}))
  const timers = {
    connectMs: 1_000,
    firstByteMs: 5_000,
    idleMs: 5_000,
    pingMs: 5_000,
    stalledClientMs: 5_000,
  }
  const config = { url: backend.url, model: 'tiny-chat', apiKey: 'backend-key', usage: 'final' } as const
  const relay = createRelay({
    models: [
      { id: MODEL, backends: options.backends ?? [{ ...config, ...options.backend }] },
      ...(options.models ?? []),
    ],
    timers: { ...timers, ...options.timers },
    maxEventBytes: options.maxEventBytes ?? limits.maxEventBytes,
    log: {
      warn(message, { error, ...line }) {
        warnings.push(message)
        lines.push(line)
        logged.push(error instanceof Error ? `${error.stack} ${error.cause}` : String(error))
      },
    },
    observe: (observation) => observations.push(observation),
  })
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const generation: RunningGeneration = {
      id: GENERATION_ID,
      requestId: REQUEST_ID,
      key: KEY,
      rateLimit: { bucket: 'key_requests', limit: 600, remaining: 599, waitMs: 0, nowMs: 0 },
      operation,
      streamed,
      model: MODEL,
      endpoint: 'demo',
      evidenceDigest: null,
      pricing: { promptMicros: 150_000, completionMicros: 600_000 },
      promptBoundTokens: 100_000,
      outputCapTokens: options.outputCapTokens ?? 100_000,
      countedPromptTokens: COUNTED_PROMPT_TOKENS,
      startedAtMs: performance.now(),
      createdAt: new Date(1_767_225_601_000),
      async serveBy(served) {
        moves.push(served.model)
        if (options.refusesToMove) throw new Error('The hold is gone.')
        return { ...generation, ...served }
      },
      progress: (tokens) => progress.push(tokens),
      async settle(outcome) {
        outcomes.push(outcome)
        return options.settle ? options.settle(outcome) : RECEIPT
      },
    }
    response.setHeader('X-Request-Id', 'req-1').setHeader('X-Router-Generation-Id', GENERATION_ID)
    const bytes = Buffer.concat(pieces)
    const body = keepBody({ bytes, span: membersOf(bytes) }, () => {})
    const { signal, passage, promptCount } = options
    const path = paths[operation]
    const count = promptCount && {
      promptCount: promptCount instanceof Promise ? followCount(promptCount) : promptCount,
    }
    const others = options.fallbacks && { fallbacks: options.fallbacks }
    const ends = { ...(signal && { signal }), ...(passage && { passage }) }
    const task = { generation, path, body, includeUsage, response, ...ends, ...count, ...others }
    try {
      await (streamed ? relay.stream(task) : relay.answer(task))
    } catch (error) {
      thrown.push(error)
      const apiError = asApiError(error)
      if (response.destroyed) return
      response.writeHead(apiError.status, {
        ...apiError.headers,
        'content-type': 'application/json',
      })
      response.end(JSON.stringify(apiError.toBody()))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  open.push(async () => {
    server.closeAllConnections()
    server.close()
    await relay.close()
    await backend.close()
  })
  const body =
    options.body ?? `{"model":"${MODEL}","messages":[{"role":"user","content":"hi"}],"stream":${streamed}}`
  return {
    backend,
    relay,
    port,
    body,
    outcomes,
    observations,
    progress,
    moves,
    warnings,
    lines,
    logged,
    thrown,
    server,
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** Sends the world's request; the answer's head and bytes come as they arrive. */
export async function send({ port, body }: World) {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/',
    agent: false,
    headers: {
      authorization: 'Bearer client-key',
      cookie: 'canary=1',
      'x-canary': '1',
      'user-agent': 'canary',
    },
  })
  request.on('error', () => {})
  request.end(body)
  const answered = once(request, 'response').then(([response]) => response as IncomingMessage)
  answered.catch(() => {})
  return { request, answered, leave: () => request.destroy() }
}

/** Sends the world's request and reads the whole answer. */
export async function ask(world: World): Promise<Reply> {
  const { answered } = await send(world)
  const response = await answered
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return { status: response.statusCode!, headers: response.headers, text: Buffer.concat(pieces).toString() }
}

/** Asks and shows what the client saw beside what was settled; it was settled exactly once. */
export async function askAndSettle(world: World) {
  const reply = await ask(world)
  expect(world.outcomes).toHaveLength(1)
  return { reply, outcome: world.outcomes[0]! }
}

/** Waits until something is so. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { interval: 5 })
}

/** The data of a stream's events, in order; pings and other comments left out. */
export function dataOf(text: string): string[] {
  const events = text.split('\n\n')
  expect(events.pop()).toBe('')
  const isComment = (part: string) => part === ': ping'
  return events
    .filter((part) => !isComment(part))
    .map((part) => {
      expect(part).toMatch(/^data: [^\n]+$/)
      return part.slice(6)
    })
}

/** The text of all deltas, and the other events of a stream. */
export function readStream(text: string) {
  const data = dataOf(text)
  expect(data.at(-1)).toBe('[DONE]')
  expect(data.filter((part) => part === '[DONE]')).toHaveLength(1)
  const chunks = data.slice(0, -1).map((part) => JSON.parse(part))
  const said = chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')
  return { chunks, said, last: chunks.at(-1) }
}
