import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '#base/object.ts'
import { dataOf, eventOf, PING } from './events.ts'
import { type Counted, countedIn, type Ledger, type Running, settle, shownId, usageOf } from './generation.ts'
import { backendFailed, Refusal } from './refusal.ts'

/** A stream to a client: its answer, and what was asked. */
export interface Streaming {
  readonly response: ServerResponse
  readonly running: Running
  readonly ledger: Ledger
  readonly wantsUsage: boolean
  /** Bytes of what was asked, by which the prompt of a stream that is left is counted. */
  readonly promptBytes: number
  /** Has begun to run as the request came in. */
  readonly pings: Pings
}

/** Pings of an answer until its first token; they begin it where nothing else has. */
export class Pings {
  readonly #timer: NodeJS.Timeout

  constructor(response: ServerResponse, everyMs: number, head: () => void) {
    this.#timer = setInterval(() => {
      head()
      response.write(PING)
    }, everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** Relays a stream to its end and books it; an error after its beginning is its last event. */
export async function stream(answer: IncomingMessage, streaming: Streaming): Promise<void> {
  const { response, running, ledger, wantsUsage, pings } = streaming
  let [number, texts] = [0, 0]
  let counted: Counted | undefined
  const tell = (data: object | string) => response.write(eventOf(++number, data))
  // What a backend tells before its end is a guess at what is to come.
  const soFar = () => ({ prompt: Math.ceil(streaming.promptBytes / 4), completion: texts })
  try {
    for await (const data of dataOf(answer)) {
      if (data === '[DONE]') break
      const value = parse(data)
      // An event that is none is passed over.
      if (!value) continue
      if (isObject(value.error)) throw backendFailed(true)
      counted = countedIn(value.usage) ?? counted
      const { choices } = value
      if (!Array.isArray(choices) || choices.length === 0) continue
      if (hasText(choices[0])) texts++
      if (texts > 0) pings.stop()
      const told = { ...value, id: shownId(running), model: running.model.id, usage: null }
      if (!tell(told)) await drained(response)
      if (response.destroyed) throw new Error('the client has left')
    }
    if (!counted) throw backendFailed(false)
    pings.stop()
    const cost = settle(ledger, running, 'ok', counted)
    if (wantsUsage) tell(usageChunk(running, usageOf(running, counted, cost)))
  } catch (error) {
    pings.stop()
    settle(ledger, running, 'aborted', soFar())
    if (response.destroyed) return
    tell((error instanceof Refusal ? error : backendFailed(false)).body)
  }
  response.end(eventOf(++number, '[DONE]'))
}

function usageChunk(running: Running, usage: object): object {
  const object = running.model.does === 'talk' ? 'chat.completion.chunk' : 'text_completion'
  const created = Math.floor(running.beganMs / 1_000)
  return { id: shownId(running), object, created, model: running.model.id, choices: [], usage }
}

function hasText(choice: { readonly text?: unknown; readonly delta?: object } | null): boolean {
  const { role: _, ...delta } = (choice?.delta ?? {}) as Record<string, unknown>
  return Boolean(choice?.text) || Object.values(delta).some((value) => value !== '' && value !== null)
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('drain', resolve).once('close', resolve)
  await promise
  response.off('drain', resolve).off('close', resolve)
}
