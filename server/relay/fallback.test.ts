import { afterEach, expect, test } from 'vitest'
import type { PrepareFallback } from './task.ts'
import {
  answers,
  DONE,
  finishEvent,
  type Script,
  startBackend,
  streams,
  textEvent,
  usageEvent,
  usageOf,
} from './testing/backend.ts'
import { ask, closeWorlds, readStream, send, startWorld, type WorldOptions } from './testing/world.ts'

const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  await closeWorlds()
  for (const backend of open.splice(0)) await backend.close()
})

const goodStream = streams(textEvent('a'), finishEvent(), usageEvent(9, 1), DONE)
const goodAnswer = answers(200, { choices: [{ message: { content: 'a' } }], usage: usageOf(9, 1) })

const served = {
  model: 'other',
  endpoint: 'elsewhere',
  evidenceDigest: null,
  pricing: { promptMicros: 1, completionMicros: 2 },
  countedPromptTokens: 5,
  promptBoundTokens: 50,
  outputCapTokens: 500,
}
const other: PrepareFallback = async () => ({ served, additions: { max_tokens: '500' } })
const unable: PrepareFallback = async () => undefined
const forbidden: PrepareFallback = () => Promise.reject(new Error('not in scope'))

/** A world whose model fails as the script says, with another model beside it. */
async function worldOf(script: Script, options: WorldOptions = {}) {
  const backend = await startBackend(options.streamed === false ? goodAnswer : goodStream)
  open.push(backend)
  const models = [{ id: 'other', backends: [{ url: backend.url, model: 'theirs', usage: 'final' as const }] }]
  const world = await startWorld({ script, models, fallbacks: [other], ...options })
  return { world, backend }
}

test.each([
  ['a stream', true],
  ['an answer', false],
])(
  '%s that no backend of its model serves is served by the other, and settled as its own',
  async (_, streamed) => {
    for (const status of [429, 502, 503, 504]) {
      const { world, backend } = await worldOf(answers(status, ''), { streamed })
      const { text } = await ask(world)
      const shown = streamed ? readStream(text).chunks[0] : JSON.parse(text)
      expect(shown.model).toBe('other')
      expect(JSON.parse(backend.requests[0]!.body)).toMatchObject({ model: 'theirs', max_tokens: 500 })
      expect(world.moves).toEqual(['other'])
      expect(world.outcomes).toMatchObject([
        { status: 'ok', usage: { promptTokens: 9, completionTokens: 1 } },
      ])
      expect(world.observations).toMatchObject([{ model: 'other' }])
    }
  },
)

test('a model none of whose backends can be reached has its fallback serve', async () => {
  const gone = await startBackend(() => {})
  await gone.close()
  const { world } = await worldOf(() => {}, { backends: [{ url: gone.url, model: 'x', usage: 'final' }] })
  expect(readStream((await ask(world)).text).said).toBe('a')
})

test('pings that were sent while nobody served change nothing', async () => {
  let pings = 0
  const slow: Script = (response) => {
    const waiting = setInterval(() => {
      if (++pings < 20) return
      clearInterval(waiting)
      response.writeHead(503).end()
    }, 5)
  }
  const { world } = await worldOf(slow, { timers: { pingMs: 10 } })
  const { text } = await ask(world)
  expect(text).toContain(': ping')
  expect(readStream(text).said).toBe('a')
})

test.each<[string, Script]>([
  ['400', answers(400, { error: { message: 'no' } })],
  ['401', answers(401, '')],
  ['500', answers(500, '')],
  ['a stream that is cut', streams(textEvent('a'))],
  ['a connection lost under the request', (response) => void response.socket?.destroy()],
])('after %s nothing is sent to another model', async (_, script) => {
  const { world, backend } = await worldOf(script)
  await ask(world)
  expect([backend.requests, world.moves]).toEqual([[], []])
  expect(world.outcomes).toMatchObject([{ status: 'aborted' }])
})

test('a fallback that may not or cannot serve is passed over for the next, and without one the failure is told', async () => {
  const refusing = answers(503, '', { 'retry-after': '7' })
  const passed = await worldOf(refusing, { fallbacks: [unable, forbidden, other] })
  expect(readStream((await ask(passed.world)).text).said).toBe('a')
  const told = await worldOf(refusing, { fallbacks: [unable, forbidden] })
  const reply = await ask(told.world)
  expect([reply.status, reply.headers['retry-after']]).toEqual([502, '7'])
  expect(told.world.outcomes).toMatchObject([{ status: 'aborted', usage: { promptTokens: 0 } }])
})

test('where the hold cannot name the other model nothing is sent to it', async () => {
  const { world, backend } = await worldOf(answers(503, ''), { refusesToMove: true })
  expect((await ask(world)).status).toBe(502)
  expect(backend.requests).toEqual([])
})

test('a fallback that fails itself is the failure that is told, settled once', async () => {
  const { world } = await worldOf(answers(503, ''), { models: [{ id: 'other', backends: [] }] })
  expect((await ask(world)).status).toBe(502)
  expect(world.moves).toEqual(['other'])
  expect(world.outcomes).toHaveLength(1)
})

const after = (script: Script, ms: number): Script => {
  return (response, request) => void setTimeout(() => script(response, request), ms)
}

test.each<[string, script: Script, PrepareFallback, movesByThen: string[]]>([
  ['one model after another is asked', after(answers(503, ''), 200), other, ['other']],
  [
    'another model is made ready',
    answers(503, ''),
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      return other()
    },
    [],
  ],
])('pings keep their beat while %s (STRM-02)', async (_, script, prepare, moves) => {
  const backend = await startBackend(after(goodStream, 500))
  open.push(backend)
  const models = [{ id: 'other', backends: [{ url: backend.url, model: 'theirs', usage: 'final' as const }] }]
  const world = await startWorld({ script, models, fallbacks: [prepare], timers: { pingMs: 300 } })
  const { answered } = await send(world)
  const response = await answered
  // The head goes with the first ping.
  expect(world.moves).toEqual(moves)
  let text = ''
  for await (const piece of response) text += piece
  expect(text).toMatch(/^(: ping\n\n){2,}data: /)
  expect(readStream(text).chunks[0].model).toBe('other')
})

test('a refusal that never ends holds up no other model', async () => {
  const { world } = await worldOf((response) => {
    const dripping = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(dripping))
    response.writeHead(503)
  })
  expect(readStream((await ask(world)).text).said).toBe('a')
})
