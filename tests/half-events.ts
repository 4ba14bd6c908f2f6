import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { startWorld } from '../proxy/testing/world.ts'
import { demoModel, startService } from './service.ts'

/** Where a stream is cut: behind a whole event that says `Hello`, and some bytes of the next. */
export const halves: readonly (readonly [where: string, bytes: string])[] = [
  ['within the text', eventOf('secret').slice(0, -50)],
  ['before the last brace', eventOf('secret').slice(0, -3)],
  ['between the line ends', eventOf('secret').slice(0, -1)],
  ['within the name of the field', 'da'],
]

/** A stream that waits within an event, until it is told to break off. */
export interface Halved {
  /** With `/v1`. */
  readonly url: string
  readonly apiKey: string
  breakOff(): void
}

/** A router whose backend is cut within events. */
export interface HalvingRouter {
  stream(half: string): Halved
  stop(): Promise<void>
}

const FOUR_MINUTES = 4 * 60_000

/** Starts a router, and the backend behind it. */
export async function startHalvingRouter(): Promise<HalvingRouter> {
  let answer: RequestListener = () => {}
  const backend = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const backendUrl = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/v1`
  const service = await startService({ models: () => [demoModel(backendUrl)] })
  const { apiKey } = await service.createAccount(5_000_000n)
  return {
    stream(half) {
      const { script, cut } = halfStream(half)
      answer = script
      return { url: service.baseUrl, apiKey, breakOff: cut }
    },
    async stop() {
      await service.stop()
      backend.close().closeAllConnections()
    },
  }
}

/** A proxy whose gateway is cut within an event. */
export async function cutAtGateway(half: string): Promise<Halved> {
  const { script, cut } = halfStream(half)
  const { port } = await startWorld({ script })
  return { url: `http://127.0.0.1:${port}/v1`, apiKey: 'any', breakOff: cut }
}

/** A proxy whose verdict ends within an event. */
export async function revokeAtProxy(half: string): Promise<Halved> {
  const clock = new TestClock()
  const world = await startWorld({ script: halfStream(half).script, clock })
  return {
    url: `http://127.0.0.1:${world.port}/v1`,
    apiKey: 'any',
    breakOff() {
      world.judge(failed('policy', 'digest_not_pinned'))
      void clock.pass(FOUR_MINUTES)
    },
  }
}

function halfStream(half: string): { readonly script: RequestListener; cut(): void } {
  let response: ServerResponse | undefined
  return {
    script(_, answer) {
      response = answer
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.write(eventOf('Hello') + half)
    },
    cut: () => void response?.socket?.destroy(),
  }
}

/** The event of one delta, as backends and routers write it. */
function eventOf(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }]
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'tiny' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}
