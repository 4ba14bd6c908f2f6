import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Manner } from './manner.ts'

/** A request that is being served. */
export interface Asked {
  readonly response: ServerResponse
  readonly manner: Manner
  readonly streamed: boolean
  /** A word of each answer. */
  readonly word: string
  /** Called once, when the first token has been written. */
  readonly onToken: () => void
}

interface Pace {
  readonly chunks: number
  readonly gapMs: number
}

const usual: Pace = { chunks: 8, gapMs: 30 }
const paces: Partial<Record<Manner, Pace>> = {
  long: { chunks: 60, gapMs: 100 },
  rapid: { chunks: 3_000, gapMs: 0 },
}

/** After so many chunks a manner that misbehaves does. */
const MISBEHAVES_AFTER = 3
const PROMPT_TOKENS = 3

/** Serves it. Never ends for a backend that falls silent: its client gives up. */
export async function answer(asked: Asked): Promise<void> {
  const { response, manner, streamed } = asked
  if (manner === 'silent') return
  if (manner === 'busy') {
    response.writeHead(503, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"busy","type":"server_error","code":503}}')
  } else if (streamed) await stream(asked)
  else await sendWhole(asked)
}

async function stream({ response, manner, word, onToken }: Asked): Promise<void> {
  const { chunks, gapMs } = paces[manner] ?? usual
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let index = 0; index < chunks; index++) {
    if (response.destroyed) return
    if (index === MISBEHAVES_AFTER && misbehave(response, manner)) return
    write(response, { choices: [{ index: 0, delta: { content: `${word} ` }, finish_reason: null }] })
    if (index === 0) onToken()
    if (gapMs > 0) await sleep(gapMs)
  }
  write(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  if (manner !== 'no-usage') write(response, { choices: [], usage: usageOf(manner, chunks) })
  response.end('data: [DONE]\n\n')
}

/** Whether the stream goes on no more. */
function misbehave(response: ServerResponse, manner: Manner): boolean {
  if (manner === 'cut') response.destroy()
  if (manner === 'garbage') response.end('data: {"choices":[\n\ndata: �\n\n')
  return manner === 'cut' || manner === 'garbage' || manner === 'stall'
}

async function sendWhole({ response, manner, word, onToken }: Asked): Promise<void> {
  const { chunks, gapMs } = paces[manner] ?? usual
  await sleep(chunks * gapMs)
  if (manner === 'stall') return
  const text = JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: word }, finish_reason: 'stop' }],
    ...(manner !== 'no-usage' && { usage: usageOf(manner, chunks) }),
  })
  response.writeHead(200, { 'content-type': 'application/json' })
  if (manner !== 'cut' && manner !== 'garbage') response.end(text, onToken)
  else if (manner === 'garbage') response.end(text.slice(0, -9))
  else response.write(text.slice(0, -9), () => response.destroy())
}

const head = { id: 'c', created: 1, model: 'm' }

function write(response: ServerResponse, members: object): void {
  response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...members })}\n\n`)
}

/** One that boasts names more than any request could use. */
function usageOf(manner: Manner, chunks: number): object {
  const completion = manner === 'boasting' ? 1_000_000_000 : chunks
  return {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: completion,
    total_tokens: PROMPT_TOKENS + completion,
  }
}
