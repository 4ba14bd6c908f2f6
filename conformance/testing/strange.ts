import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'

/** How a product writes what it says; it says the same as the reference. Everything that is left out is usual. */
export interface Manner {
  /** What stands before `/v1` in its addresses. */
  readonly base?: string
  readonly headerName?: (name: string) => string
  /** Header lines that it has besides. */
  readonly headers?: Readonly<Record<string, string>>
  /** Any object of JSON in a body or an event, but for evidence, which is relayed byte for byte. */
  readonly object?: (object: Readonly<Record<string, unknown>>) => object
  /** How a line of an event stream ends. */
  readonly lineEnd?: string
  /** Lengths of the pieces that are written, again and again. */
  readonly pieces?: readonly number[]
  /** How long each answer is kept back. */
  readonly delayMs?: number
  /** Whether each connection ends with its first answer. */
  readonly isClosing?: boolean
}

/** A product that is the one at `origin` in another manner. */
export interface Strange {
  /** With `/v1`. */
  readonly baseUrl: string
  stop(): void
}

/** Starts a relay before the product at `origin`, such as `http://127.0.0.1:8080`, with manners of its own. */
export async function estrange(origin: string, manner: Manner): Promise<Strange> {
  const { base = '', isClosing = false } = manner
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    // What lies beside its base is answered as it is beside the reference's.
    const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url
    const asked = request(`${origin}${path}`, { method, headers }, (answer) => {
      answer.on('error', () => outgoing.destroy())
      relay(answer, outgoing, manner, path).catch(() => outgoing.destroy())
    })
    asked.on('error', () => outgoing.destroy())
    outgoing.on('close', () => asked.destroy())
    incoming.pipe(asked)
  }).listen(0, '127.0.0.1')
  if (isClosing) server.maxRequestsPerSocket = 1
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}/v1`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function relay(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  manner: Manner,
  path: string,
): Promise<void> {
  const { object, delayMs = 0 } = manner
  const { statusCode = 502, headers } = answer
  const type = headers['content-type'] ?? ''
  const isStream = type.startsWith('text/event-stream')
  await sleep(delayMs)
  outgoing.socket?.setNoDelay()
  if (type.startsWith('application/json') && object && outgoing.req.method !== 'HEAD' && !isEvidence(path)) {
    const text = JSON.stringify(throughout(JSON.parse((await buffer(answer)).toString()), object))
    outgoing.writeHead(statusCode, linesOf(answer, manner, Buffer.byteLength(text)))
    const pieces = inPieces(manner)
    pieces.pipe(outgoing)
    pieces.end(text)
    return
  }
  outgoing.writeHead(statusCode, linesOf(answer, manner))
  if (isStream) outgoing.flushHeaders()
  const written = isStream ? answer.pipe(inLines(manner)) : answer
  written.pipe(inPieces(manner)).pipe(outgoing)
}

/** Header lines in the order in which they came, but for those that are about the connection. */
function linesOf({ rawHeaders }: IncomingMessage, manner: Manner, length?: number): string[] {
  const { headerName = (name) => name, headers = {} } = manner
  const lines = Object.entries(headers).flat()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (/^(connection|keep-alive|transfer-encoding)$/i.test(name)) continue
    const isLength = length !== undefined && /^content-length$/i.test(name)
    lines.push(headerName(name), isLength ? String(length) : value)
  }
  return lines
}

/** So many pieces of an answer are cut; the rest shows nothing more, and takes time (ours). */
const MOST_PIECES = 2_000

/** Writes bytes in pieces of the wanted lengths. */
function inPieces({ pieces = [] }: Manner): Transform {
  let turn = 0
  return new Transform({
    transform(bytes: Buffer, _, done) {
      for (let at = 0; at < bytes.length; ) {
        const wanted = turn < MOST_PIECES ? pieces[turn++ % pieces.length] : undefined
        const length = wanted ?? bytes.length
        this.push(bytes.subarray(at, at + length))
        at += length
      }
      done()
    },
  })
}

/** Writes the lines of an event stream; one that is not whole yet is kept back. */
function inLines({ object, lineEnd = '\n' }: Manner): Transform {
  let rest = ''
  return new Transform({
    transform(bytes: Buffer, _, done) {
      const found = `${rest}${bytes.toString('latin1')}`.split('\n')
      rest = found.pop() ?? ''
      const written = found.map((line) => `${object ? changed(line, object) : line}${lineEnd}`)
      done(null, Buffer.from(written.join(''), 'latin1'))
    },
  })
}

/** A line of data with every object in it changed; its text comes and goes as bytes. */
function changed(line: string, change: NonNullable<Manner['object']>): string {
  const [, data] = /^data: (\{.*)$/.exec(line) ?? []
  if (data === undefined) return line
  const value: unknown = JSON.parse(Buffer.from(data, 'latin1').toString())
  return `data: ${Buffer.from(JSON.stringify(throughout(value, change))).toString('latin1')}`
}

function throughout(value: unknown, change: NonNullable<Manner['object']>): unknown {
  if (Array.isArray(value)) return value.map((one) => throughout(one, change))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, one]) => [name, throughout(one, change)])
  return change(Object.fromEntries(members) as Readonly<Record<string, unknown>>)
}

function isEvidence(path: string): boolean {
  return path.includes('/evidence')
}
