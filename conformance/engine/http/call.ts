import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { performance } from 'node:perf_hooks'
import { TLSSocket } from 'node:tls'
import { faultOf } from '../fault.ts'
import type { Ending, Exchange, Read, Sent } from './exchange.ts'

/** How a request is made beyond what is sent. */
export interface CallOptions {
  readonly agent: HttpAgent
  /** Sends the body without its length. */
  readonly isChunked?: boolean
  /** An answer that has not ended by then is broken. */
  readonly timeoutMs: number
}

/** More than any answer of a scenario that is read: whoever sends without end is not heard to his end (ours). */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

/** After a look that took long the next one waits so many times as long, that looking never takes all the time (ours). */
const REST = 4
const LONG_LOOK_MS = 4

/** A request under way. Nothing is thrown for what goes wrong: it is part of the exchange. */
export class Call {
  /** Resolves once the answer has ended, however that was. */
  readonly done: Promise<Exchange>
  readonly #sent: Sent
  readonly #options: CallOptions
  readonly #startedMs = performance.now()
  readonly #reads: Read[] = []
  readonly #watchers = new Set<() => void>()
  readonly #timer: NodeJS.Timeout
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  #size = 0
  #headMs: number | null = null
  #leaf: Buffer | undefined
  #ended: { readonly ending: Ending; readonly fault: string | undefined; readonly endMs: number } | undefined

  constructor(sent: Sent, options: CallOptions) {
    const { timeoutMs } = options
    this.#sent = sent
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<Exchange>()
    this.done = promise
    this.#watchers.add(() => {
      if (this.#ended) resolve(this.exchange)
    })
    this.#timer = setTimeout(() => this.#giveUp(`no end within ${timeoutMs} ms`), timeoutMs)
    this.#ask()
  }

  /** What there is so far. */
  get exchange(): Exchange {
    const { ending = 'aborted', fault, endMs = this.#elapsedMs() } = this.#ended ?? {}
    return {
      sent: this.#sent,
      status: this.#response?.statusCode ?? 0,
      headers: headersOf(this.#response),
      reads: this.#reads,
      body: Buffer.concat(this.#reads.map(({ bytes }) => bytes)),
      ending,
      fault,
      headMs: this.#headMs,
      endMs,
      leaf: this.#leaf,
    }
  }

  get isOver(): boolean {
    return this.#ended !== undefined
  }

  /**
   * Waits until enough has arrived; an answer that ends before, or takes longer, resolves to false. What `isEnough`
   * throws rejects, and nobody else hears of it.
   */
  until(isEnough: (soFar: Exchange) => boolean, timeoutMs = 60_000): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    let rest: NodeJS.Timeout | undefined
    const finish = (end: () => void) => {
      clearTimeout(timer)
      clearTimeout(rest)
      this.#watchers.delete(look)
      end()
    }
    const timer = setTimeout(() => finish(() => resolve(false)), timeoutMs)
    const look = () => {
      if (rest !== undefined && !this.#ended) return
      const startedMs = performance.now()
      try {
        if (isEnough(this.exchange)) finish(() => resolve(true))
        else if (this.#ended) finish(() => resolve(false))
      } catch (thrown) {
        finish(() => reject(thrown))
      }
      const tookMs = performance.now() - startedMs
      if (tookMs < LONG_LOOK_MS || !this.#watchers.has(look)) return
      rest = setTimeout(() => {
        rest = undefined
        look()
      }, tookMs * REST)
    }
    this.#watchers.add(look)
    look()
    return promise
  }

  /** Leaves: the connection is closed without waiting for the rest. */
  abort(): void {
    this.#end('aborted', undefined)
    this.#request?.destroy()
  }

  /** Stops reading, so that the product's writes fill up. */
  pause(): void {
    this.#response?.pause()
  }

  resume(): void {
    this.#response?.resume()
  }

  #ask(): void {
    const { agent, isChunked = false } = this.#options
    const { url, method, body } = this.#sent
    const make = url.startsWith('https:') ? httpsRequest : httpRequest
    try {
      const request = make(url, { method, headers: headersFor(this.#sent, isChunked), agent })
      this.#request = request
      request.on('response', (response) => this.#answered(response))
      request.on('error', (error) => {
        if (!this.#ended && this.#response === undefined && wasIdle(request, error)) this.#ask()
        else this.#end('broken', faultOf(error))
      })
      request.end(body)
    } catch (error) {
      // An id that a product made up need not fit into a path.
      this.#end('broken', `it cannot be asked for: ${(error as Error).message}`)
    }
  }

  #answered(response: IncomingMessage): void {
    this.#response = response
    this.#headMs = this.#elapsedMs()
    this.#leaf = leafOf(response)
    response.on('data', (bytes: Buffer) => {
      if (this.#ended) return
      this.#reads.push({ atMs: this.#elapsedMs(), bytes })
      this.#size += bytes.length
      if (this.#size > MAX_ANSWER_BYTES) this.#giveUp(`it is longer than ${MAX_ANSWER_BYTES} bytes`)
      else this.#look()
    })
    response.on('end', () => this.#end('complete', undefined))
    response.on('error', (error) => this.#end('broken', error.message))
    response.on('close', () => this.#end('broken', 'the connection was closed before the end of the answer'))
    this.#look()
  }

  #giveUp(fault: string): void {
    this.#end('broken', fault)
    this.#request?.destroy()
  }

  #end(ending: Ending, fault: string | undefined): void {
    if (this.#ended) return
    clearTimeout(this.#timer)
    this.#ended = { ending, fault, endMs: this.#elapsedMs() }
    this.#look()
  }

  #look(): void {
    for (const look of [...this.#watchers]) look()
  }

  #elapsedMs(): number {
    return Math.round((performance.now() - this.#startedMs) * 10) / 10
  }
}

/**
 * Whether a request went out on a connection that the other side was just closing, as it may between two requests: clients
 * then ask again on another one. On a new connection nothing excuses it.
 */
function wasIdle({ reusedSocket }: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function headersFor({ headers, body }: Sent, isChunked: boolean): Record<string, string> {
  if (isChunked) return { ...headers, 'transfer-encoding': 'chunked' }
  return body.length > 0 ? { ...headers, 'content-length': String(body.length) } : { ...headers }
}

function leafOf({ socket }: IncomingMessage): Buffer | undefined {
  return socket instanceof TLSSocket ? socket.getPeerCertificate().raw : undefined
}

function headersOf(response: IncomingMessage | undefined): Record<string, string> {
  const entries = Object.entries(response?.headers ?? {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
