import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { Feed, Watcher } from '../history/feed.ts'
import type { RequestRow } from '../history/request-row.ts'
import { followingRequests } from './live.ts'
import { exchange, personOf } from './testing.ts'

const row: RequestRow = {
  id: 'gen-1',
  createdAt: new Date('2026-01-01'),
  operation: 'chat',
  streamed: true,
  model: 'm',
  keyId: 'key_1',
  keyName: 'data: \n\nevent: end',
  promptTokens: 1,
  completionTokens: 1,
  costMicros: 1,
  tokensPerSecond: null,
  timeToFirstTokenMs: null,
  latencyMs: 1,
  status: 'ok',
}

/** Opens a stream on a feed that a test speaks for. */
async function open() {
  let watcher: Watcher | undefined
  const stop = vi.fn()
  const feed: Feed = {
    watch(_, given) {
      watcher = given
      return stop
    },
    watchers: 0,
    stop: async () => {},
  }
  const follow = followingRequests(feed)
  const one = await exchange((response) => {
    const request = {
      person: personOf('ws_1'),
      path: {},
      query: {},
      body: undefined,
      change: undefined,
      headers: {},
    }
    void follow({ ...request, response, incoming: response.req })
  })
  return { ...one, watcher: watcher!, stop }
}

test('a reader that does not read is hung up on before much waits for it', async () => {
  const { response, watcher, stop, close } = await open()
  let most = 0
  for (let count = 0; !response.destroyed; count++) {
    watcher.request(row)
    most = Math.max(most, response.writableLength)
    if (count % 1_000 === 0) await new Promise(setImmediate)
  }
  expect(most).toBeLessThan(1_200_000)
  await vi.waitUntil(() => stop.mock.calls.length > 0)
  close()
})

test('somebody who has left before the stream begins is not watched for', async () => {
  const feed = { watch: vi.fn(), watchers: 0, stop: async () => {} }
  const response = { destroyed: true } as ServerResponse
  const request = {
    person: personOf('ws_1'),
    path: {},
    query: {},
    body: undefined,
    change: undefined,
    headers: {},
  }
  await followingRequests(feed)({ ...request, response, incoming: {} as IncomingMessage })
  expect(feed.watch).not.toHaveBeenCalled()
})

test('a name cannot end an event or begin another', async () => {
  const { reader, watcher, stop, close } = await open()
  watcher.request(row)
  watcher.end(true)
  let text = ''
  for await (const piece of reader) text += piece
  const [first, second, rest] = text.split('\n\n')
  expect(JSON.parse(first!.slice('event: request\ndata: '.length)).key.name).toBe(row.keyName)
  expect([second, rest]).toEqual(['event: end\ndata: session_required', ''])
  await vi.waitUntil(() => stop.mock.calls.length > 0)
  close()
})
