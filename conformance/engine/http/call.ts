import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { performance } from 'node:perf_hooks'
import { TLSSocket } from 'node:tls'
import type { Ending, Exchange, Read, Sent } from './exchange.ts'

/** How a request is made beyond what is sent. */
export interface CallOptions {
  readonly agent: HttpAgent
  /** Sends the body without its length. */
  readonly isChunked?: boolean
  /** An answer that has not ended by then is broken. */
  readonly timeoutMs: number
}

/** A request under way. Nothing is thrown for what goes wrong: it is part of the exchange. */
export class Call {
  /** Resolves once the answer has ended, however that was. */
  readonly done: Promise<Exchange>
  readonly #sent: Sent
  readonly #startedMs = performance.now()
  readonly #request: ClientRequest
  readonly #reads: Read[] = []
  readonly #watchers = new Set<() => void>()
  readonly #timer: NodeJS.Timeout
  #response: IncomingMessage | undefined
  #headMs: number | null = null
  #leaf: Buffer | undefined
  #ended: { readonly ending: Ending; readonly fault: string | undefined; readonly endMs: number } | undefined

  constructor(sent: Sent, { agent, isChunked = false, timeoutMs }: CallOptions) {
    this.#sent = sent
    const { promise, resolve } = Promise.withResolvers<Exchange>()
    this.done = promise
    const make = sent.url.startsWith('https:') ? httpsRequest : httpRequest
    this.#request = make(sent.url, { method: sent.method, headers: headersFor(sent, isChunked), agent })
    this.#request.on('response', (response) => this.#answered(response))
    this.#request.on('error', (error) => this.#end('broken', error.message))
    this.#timer = setTimeout(() => {
      this.#end('broken', `no end within ${timeoutMs} ms`)
      this.#request.destroy()
    }, timeoutMs)
    this.#watchers.add(() => {
      if (this.#ended) resolve(this.exchange)
    })
    this.#request.end(sent.body)
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

  /** Waits until enough has arrived; an answer that ends before, or takes longer, resolves to false. */
  until(isEnough: (soFar: Exchange) => boolean, timeoutMs = 60_000): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (found: boolean) => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve(found)
      }
      const timer = setTimeout(() => finish(false), timeoutMs)
      const look = () => {
        if (isEnough(this.exchange)) finish(true)
        else if (this.#ended) finish(false)
      }
      this.#watchers.add(look)
      look()
    })
  }

  /** Leaves: the connection is closed without waiting for the rest. */
  abort(): void {
    this.#end('aborted', undefined)
    this.#request.destroy()
  }

  /** Stops reading, so that the product's writes fill up. */
  pause(): void {
    this.#response?.pause()
  }

  resume(): void {
    this.#response?.resume()
  }

  #answered(response: IncomingMessage): void {
    this.#response = response
    this.#headMs = this.#elapsedMs()
    this.#leaf = leafOf(response)
    response.on('data', (bytes: Buffer) => {
      this.#reads.push({ atMs: this.#elapsedMs(), bytes })
      this.#look()
    })
    response.on('end', () => this.#end('complete', undefined))
    response.on('error', (error) => this.#end('broken', error.message))
    response.on('close', () => this.#end('broken', 'the connection was closed before the end of the answer'))
    this.#look()
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
