import OpenAI, { APIError } from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { closeWorlds } from '../proxy/testing/world.ts'
import {
  cutAtGateway,
  type Halved,
  type HalvingRouter,
  halves,
  revokeAtProxy,
  startHalvingRouter,
} from './half-events.ts'

let router: HalvingRouter

beforeAll(async () => {
  router = await startHalvingRouter()
  return () => router.stop()
})

afterEach(closeWorlds)

/** What an application gets of a stream that breaks off behind its first delta: its text, and what the SDK throws. */
async function read({ url, apiKey, breakOff }: Halved) {
  const openai = new OpenAI({ baseURL: url, apiKey, maxRetries: 0 })
  let text = ''
  try {
    const chunks = await openai.chat.completions.create({
      model: 'demo/tiny-chat',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    })
    for await (const chunk of chunks) {
      text += chunk.choices[0]?.delta.content ?? ''
      breakOff()
    }
    return { text, thrown: undefined }
  } catch (thrown) {
    return { text, thrown }
  }
}

/** The error that the far side told of, and none of the SDK's own about JSON that breaks off. */
async function expectTold(halved: Halved, code: string): Promise<void> {
  const { text, thrown } = await read(halved)
  expect(text).toBe('Hello')
  expect(thrown).toBeInstanceOf(APIError)
  expect(thrown).toMatchObject({ code })
}

test.each(halves)('a backend that is cut %s is backend_unavailable to the SDK, at the router', (_, half) =>
  expectTold(router.stream(half), 'backend_unavailable'),
)

test.each(halves)(
  'a gateway that is cut %s is backend_unavailable to the SDK, at the proxy',
  async (_, half) => expectTold(await cutAtGateway(half), 'backend_unavailable'),
)

test.each(halves)('a verdict that ends %s of an event is attestation_revoked to the SDK', async (_, half) =>
  expectTold(await revokeAtProxy(half), 'attestation_revoked'),
)
