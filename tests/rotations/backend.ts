import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A model that streams, and remembers how often each prompt came. */
export interface CountingBackend {
  readonly url: string
  /** How often a prompt was received. */
  timesOf(prompt: string): number
  close(): Promise<void>
}

const CHUNKS = 8

/** Between chunks: most answers are short, each tenth is running while something is rotated. */
const SHORT_GAP_MS = 30
const LONG_GAP_MS = 300
const LONG_EVERY = 10

/** Starts the backend on loopback. */
export async function startCountingBackend(longGapMs = LONG_GAP_MS): Promise<CountingBackend> {
  const times = new Map<string, number>()
  let count = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { messages } = JSON.parse(text) as { readonly messages: readonly { readonly content: string }[] }
    const prompt = messages[0]?.content ?? ''
    times.set(prompt, (times.get(prompt) ?? 0) + 1)
    count += 1
    await stream(response, count % LONG_EVERY === 0 ? longGapMs : SHORT_GAP_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    timesOf: (prompt) => times.get(prompt) ?? 0,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function stream(response: ServerResponse, gapMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (members: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...members })}\n\n`,
    )
  for (let index = 0; index < CHUNKS && !response.destroyed; index++) {
    write({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] })
    await sleep(gapMs)
  }
  write({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  write({ choices: [], usage: { prompt_tokens: 3, completion_tokens: CHUNKS, total_tokens: CHUNKS + 3 } })
  response.end('data: [DONE]\n\n')
}
