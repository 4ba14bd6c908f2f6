import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI, { APIError } from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { closeWorlds, startWorld } from '../proxy/testing/world.ts'
import { demoModel, startService } from './service.ts'

/** A router, and the backend that its tests give a script to. */
let router: { readonly url: string; readonly apiKey: string; answer(script: RequestListener): void }

beforeAll(async () => {
  let answer: RequestListener = () => {}
  const backend = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/v1`
  const service = await startService({ models: () => [demoModel(url)] })
  const { apiKey } = await service.createAccount(5_000_000n)
  router = {
    url: service.baseUrl,
    apiKey,
    answer(script) {
      answer = script
    },
  }
  return async () => {
    await service.stop()
    backend.close().closeAllConnections()
  }
})

afterEach(closeWorlds)

const FOUR_MINUTES = 4 * 60_000

/** The event of one delta, as backends and routers write it. */
function eventOf(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }]
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'tiny' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}

/** Where a stream is cut: behind a whole event, one that the client has seen, and some bytes of the next. */
const halves: [string, string][] = [
  ['within the text', eventOf('secret').slice(0, -50)],
  ['before the last brace', eventOf('secret').slice(0, -3)],
  ['between the line ends', eventOf('secret').slice(0, -1)],
  ['within the name of the field', 'da'],
]

/** A model server that says one event and some of the next, and then waits for its test. */
function half(text: string): { readonly script: RequestListener; cut(): void } {
  let response: ServerResponse | undefined
  return {
    script(_, answer) {
      response = answer
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.write(eventOf('Hello') + text)
    },
    cut: () => void response?.socket?.destroy(),
  }
}

/** What an application gets of a stream: its text, and what the SDK threw. What is told happens at the first delta. */
async function read(baseURL: string, apiKey: string, onDelta: () => void) {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  let text = ''
  try {
    const messages = [{ role: 'user', content: 'Hello' }] as const
    const chunks = await openai.chat.completions.create({
      model: 'demo/tiny-chat',
      messages: [...messages],
      stream: true,
    })
    for await (const chunk of chunks) {
      text += chunk.choices[0]?.delta.content ?? ''
      onDelta()
    }
    return { text, thrown: undefined }
  } catch (thrown) {
    return { text, thrown }
  }
}

/** The error that the far side told of, and none of the SDK's own about JSON that breaks off. */
function expectTold({ text, thrown }: Awaited<ReturnType<typeof read>>, code: string): void {
  expect(text).toBe('Hello')
  expect(thrown).toBeInstanceOf(APIError)
  expect(thrown).toMatchObject({ code })
}

test.each(halves)(
  'a backend that is cut %s is backend_unavailable to the SDK, at the router',
  async (_, text) => {
    const { script, cut } = half(text)
    router.answer(script)
    expectTold(await read(router.url, router.apiKey, cut), 'backend_unavailable')
  },
)

test.each(halves)(
  'a gateway that is cut %s is backend_unavailable to the SDK, at the proxy',
  async (_, text) => {
    const { script, cut } = half(text)
    const { port } = await startWorld({ script })
    expectTold(await read(`http://127.0.0.1:${port}/v1`, 'any', cut), 'backend_unavailable')
  },
)

test.each(halves)('a verdict that ends %s of an event is attestation_revoked to the SDK', async (_, text) => {
  const clock = new TestClock()
  const { script } = half(text)
  const world = await startWorld({ script, clock })
  const revoke = () => {
    world.judge(failed('policy', 'digest_not_pinned'))
    void clock.pass(FOUR_MINUTES)
  }
  expectTold(await read(`http://127.0.0.1:${world.port}/v1`, 'any', revoke), 'attestation_revoked')
})
