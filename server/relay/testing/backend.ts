import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** What a scripted backend does with one request; the body has been read. */
export type Script = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>

/** A request as the backend saw it. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly socket: Socket
}

/** A model backend that does as a test tells it. */
export interface ScriptedBackend {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Sockets that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** How many connections there ever were. */
  readonly connections: () => number
  /** Answers that are neither complete nor cut off. */
  readonly running: () => number
  close(): Promise<void>
}

/** Starts a backend on a free port of the loopback. */
export async function startBackend(script: Script, port = 0): Promise<ScriptedBackend> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let running = 0
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const { url = '', headers, socket } = incoming
    const request = { path: url, headers, body: Buffer.concat(pieces).toString(), socket }
    requests.push(request)
    response.on('error', () => {})
    running++
    response.on('close', () => running--)
    await script(response, request)
  })
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    sockets,
    connections: () => connections,
    running: () => running,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Opens an event stream. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
}

/** Sends a whole event stream, one write per part. */
export function streams(...parts: readonly (string | Buffer)[]): Script {
  return (response) => {
    openStream(response)
    for (const part of parts) response.write(part)
    response.end()
  }
}

/** Sends one body. */
export function answers(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
}

const head = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_767_225_600,
  model: 'tiny-chat',
}

/** The event of one delta with text. */
export function textEvent(content: string, more: object = {}): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }]
  return event({ ...head, choices, ...more })
}

/** The event that names the finish reason. */
export function finishEvent(more: object = {}): string {
  return event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more })
}

/** The usage-only event. */
export function usageEvent(prompt: number, completion: number): string {
  return event({ ...head, choices: [], usage: usageOf(prompt, completion) })
}

/** Token counts as backends report them. */
export function usageOf(prompt: number, completion: number): object {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

/** Any object as an event. */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** The end of every stream. */
export const DONE = 'data: [DONE]\n\n'
