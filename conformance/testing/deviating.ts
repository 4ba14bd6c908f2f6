import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Members = Record<string, unknown>
type Headers = Record<string, string | string[] | undefined>

/** What a product does otherwise than the reference; everything that is left out it does alike. */
export interface Deviation {
  /** A body of JSON, and its status and path. */
  readonly body?: (body: Members, at: { readonly status: number; readonly path: string }) => unknown
  /** A block of an event stream, without the empty line that ends it; undefined leaves it out. */
  readonly block?: (block: string) => string | undefined
  readonly headers?: (headers: Headers, at: { readonly status: number; readonly path: string }) => Headers
  readonly status?: (status: number, body: Members) => number
}

/** A product that is the one at `origin` but for one thing. */
export interface Deviating {
  readonly origin: string
  stop(): void
}

/** Starts a relay before the product at `origin`, such as `http://127.0.0.1:8080`, that deviates from it. */
export async function deviateFrom(origin: string, deviation: Deviation): Promise<Deviating> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const asked = request(`${origin}${url}`, { method, headers }, (answer) => {
      answer.on('error', () => outgoing.destroy())
      void pass(answer, outgoing, deviation, (url ?? '').split('?')[0] ?? '').catch(() => outgoing.destroy())
    })
    asked.on('error', () => outgoing.destroy())
    outgoing.on('close', () => asked.destroy())
    incoming.pipe(asked)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function pass(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  { body, block, headers, status }: Deviation,
  path: string,
): Promise<void> {
  const { statusCode: original = 502, headers: given } = answer
  const type = given['content-type'] ?? ''
  const at = { status: original, path }
  const told = headers?.({ ...given }, at) ?? given
  if (type.startsWith('application/json') && outgoing.req.method !== 'HEAD' && (body || status)) {
    const value = JSON.parse((await buffer(answer)).toString()) as Members
    const found = status?.(original, value) ?? original
    const changed = body ? body(value, at) : value
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed)
    outgoing.writeHead(found, { ...told, 'content-length': Buffer.byteLength(text) })
    outgoing.end(text)
    return
  }
  outgoing.writeHead(original, told)
  if (!type.startsWith('text/event-stream') || block === undefined) return void answer.pipe(outgoing)
  let rest = ''
  for await (const piece of answer.setEncoding('utf8')) {
    const blocks = `${rest}${piece}`.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const one of blocks) {
      const changed = block(one)
      if (changed !== undefined && !outgoing.write(`${changed}\n\n`)) await drained(outgoing)
    }
  }
  outgoing.end(rest)
}

async function drained(outgoing: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  outgoing.once('drain', resolve).once('close', resolve)
  await promise
  outgoing.off('drain', resolve).off('close', resolve)
}

/** A deviation of every chunk, whole answers and pieces of a stream alike. */
export function ofChunks(change: (value: Members) => unknown): Deviation {
  return {
    body: (value) => ('choices' in value || 'embedding' in value ? change(value) : value),
    block: ofEvents((value) => ('error' in value ? value : change(value))),
  }
}

/** A change of the data of every event that is JSON. */
export function ofEvents(change: (value: Members) => unknown): (block: string) => string {
  return (block) =>
    block.replace(/^data: (\{.*)$/m, (_, data) => `data: ${JSON.stringify(change(JSON.parse(data)))}`)
}

/** A deviation of every error, in a body or in a stream. */
export function ofErrors(change: (error: Members) => Members): Deviation {
  const changed = (value: Members) =>
    'error' in value ? { ...value, error: change(value.error as Members) } : value
  return { body: changed, block: ofEvents(changed) }
}
