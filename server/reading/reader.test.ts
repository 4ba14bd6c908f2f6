import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '#contract/limits'
import { type BodyReading, readFor } from '../admission/reading.ts'
import { byId, testModel } from '../admission/testing.ts'
import { ApiError } from '../errors.ts'
import { silent } from '../log.ts'
import { createReader, type LargeBody, type ReaderOptions } from './reader.ts'

const demo = testModel({ fallbacks: ['other'] })
const models = byId(demo, { ...testModel({ contextLength: 100, backends: [] }), id: 'other' })

function open(options: Partial<ReaderOptions> = {}) {
  const reader = createReader({ log: silent, ...options })
  onTestFinished(() => reader.stop())
  return reader
}

function bodyOf(text: string, changes: Partial<LargeBody> = {}): LargeBody {
  // Of a Buffer's own memory a piece is seldom all.
  const pieces = [Buffer.from(text.slice(0, 7)), Buffer.alloc(0), Buffer.from(text.slice(7))]
  return { operation: 'chat', pieces, models, owner: 'ws_1', gone: () => undefined, ...changes }
}

const good = JSON.stringify({ model: 'demo', messages: [{ content: 'Hello' }] })

/** A thread whose program reads no bodies, but does this when it is given one. */
const threadThat = (does: string) => () =>
  new Worker(`require('node:worker_threads').parentPort.on('message', (order) => { ${does} })`, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  })

const comparable = (reading: BodyReading) =>
  reading.refusal ? { ...reading.refusal, message: reading.refusal.message } : reading

test('a thread of its own reads what the same bytes are read as on the spot', async () => {
  const reader = open()
  const texts = fc.oneof(
    fc.constantFrom(
      good,
      '{',
      '[]',
      '{"model":"absent","messages":[1]}',
      '{"model":"demo","messages":[1],"n":2}',
      '{"model":"demo","messages":[1],"model":"demo"}',
      '{"model":"demo","messages":[]}',
      `{"model":"demo","messages":[1],"${'x'.repeat(100)}":1,"stream_options":{"include_usage":true}}`,
    ),
    fc
      .record({ messages: fc.array(fc.jsonValue()), stream: fc.boolean(), max_tokens: fc.integer() })
      .map((fields) => JSON.stringify({ model: 'demo', ...fields })),
  )
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const onTheSpot = readFor('chat', Buffer.from(text), models)
      const aside = await reader.read(bodyOf(text))
      expect(comparable(aside)).toEqual(comparable(cut(onTheSpot)))
    }),
    { numRuns: 200 },
  )
})

/** Names that nobody looks for come back in part. */
function cut(reading: BodyReading): BodyReading {
  if (reading.refusal) return reading
  const { span } = reading.body
  const members = span.members.map((member) => ({
    ...member,
    name: member.name.slice(0, 64),
    folded: member.folded?.slice(0, 64),
  }))
  const body = { ...reading.body, span: { ...span, members } }
  const requests = [...reading.requests].map(([id, one]) => {
    return [id, one instanceof ApiError ? one : { ...one, body }] as const
  })
  return { ...reading, body, requests: new Map(requests) }
}

test('no key of a backend goes to the thread', async () => {
  const apiKey = 'sk-secret'
  const keyed = byId({
    ...demo,
    backends: [{ url: 'http://a', model: 'a', apiKey, usage: 'final' as const }],
  })
  let sent = ''
  const startThread = () => {
    const thread = threadThat('')()
    vi.spyOn(thread, 'postMessage').mockImplementation((message) => {
      sent = JSON.stringify(message)
    })
    return thread
  }
  const reading = open({ startThread }).read(bodyOf(good, { models: keyed }))
  reading.catch(() => {})
  expect(sent).toContain('"demo"')
  expect(sent).not.toContain(apiKey)
})

test('the thread is told of the models once, and again when they are others', async () => {
  const sent: (readonly string[] | undefined)[] = []
  const startThread = () => {
    const thread = new Worker(new URL('./thread.ts', import.meta.url))
    const post = thread.postMessage.bind(thread)
    vi.spyOn(thread, 'postMessage').mockImplementation((order, memory) => {
      sent.push(order.models?.map(({ id }: { id: string }) => id))
      post(order, memory)
    })
    return thread
  }
  const reader = open({ startThread })
  const asked = async (of: typeof models) => {
    const reading = await reader.read(bodyOf(good, { models: of }))
    return reading.refusal ?? [...reading.requests.keys()]
  }
  const fewer = byId({ ...demo, fallbacks: [] })
  expect(await asked(models)).toEqual(['demo', 'other'])
  expect(await asked(models)).toEqual(['demo', 'other'])
  expect(await asked(fewer)).toEqual(['demo'])
  expect(await asked(models)).toEqual(['demo', 'other'])
  expect(sent).toEqual([['demo', 'other'], undefined, ['demo'], ['demo', 'other']])
})

test.each([
  ['dies of it', 'process.exit(1)', 'died'],
  ['throws', 'throw new Error("no")', 'died'],
  ['never ends', 'for (;;);', 'late'],
  ['takes all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(1))', 'died'],
] as const)('of a body that the thread %s the next one notices nothing', async (_, does, cause) => {
  let isFirst = true
  const hostile = threadThat(does)
  const real = vi.fn(() => new Worker(new URL('./thread.ts', import.meta.url)))
  const startThread = () => {
    if (!isFirst) return real()
    isFirst = false
    return hostile()
  }
  const reader = open({ startThread, readMs: cause === 'late' ? 3_000 : 60_000, turnMs: 60_000 })
  const [bad, next] = await Promise.allSettled([
    reader.read(bodyOf(good)),
    reader.read(bodyOf(good, { owner: 'ws_2' })),
  ])
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/not read/) } })
  expect(next).toMatchObject({ status: 'fulfilled', value: { name: 'demo' } })
  expect(reader.usage.failed[cause]).toBe(1)
})

test('a body whose turn does not come in time is told when to come back', async () => {
  const reader = open({ startThread: threadThat(''), turnMs: 50 })
  reader.read(bodyOf(good)).catch(() => {})
  await expect(reader.read(bodyOf(good))).rejects.toMatchObject({
    code: 'overloaded',
    headers: { 'Retry-After': '1' },
  })
  expect(reader.usage).toMatchObject({ waiting: 0, failed: { busy: 1 } })
})

test('no turn is spent on a body whose sender has left', async () => {
  const reader = open()
  const gone = new Error('gone')
  const first = reader.read(bodyOf(good))
  const left = reader.read(bodyOf(good, { gone: () => gone }))
  const last = reader.read(bodyOf(good))
  await expect(left).rejects.toBe(gone)
  expect([await first, await last]).toMatchObject([{ name: 'demo' }, { name: 'demo' }])
})

test('a thread that has nothing to do ends, and another reads the next body', async () => {
  const ends: Promise<unknown>[] = []
  const startThread = () => {
    const thread = new Worker(new URL('./thread.ts', import.meta.url))
    ends.push(new Promise((resolve) => thread.once('exit', resolve)))
    return thread
  }
  const reader = open({ startThread, idleMs: 10 })
  expect(await reader.read(bodyOf(good))).toMatchObject({ name: 'demo' })
  await ends[0]
  expect(await reader.read(bodyOf(good))).toMatchObject({ name: 'demo' })
  expect(reader.usage.failed).toEqual({ busy: 0, late: 0, died: 0 })
})

test('a reader that is stopped leaves nobody waiting', async () => {
  const reader = open({ startThread: threadThat('') })
  const waiting = [reader.read(bodyOf(good)), reader.read(bodyOf(good))]
  const ended = Promise.allSettled(waiting)
  await reader.stop()
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(reader.read(bodyOf(good))).rejects.toThrow(/stopped/)
})

test('the memory of a body goes to the thread and comes back, and is nowhere twice', async () => {
  const text = `{"model":"demo","messages":["${'x'.repeat(limits.keyFirstBodyBytes)}"]}`
  const piece = Buffer.from(new TextEncoder().encode(text).buffer)
  const reading = await open().read(bodyOf('', { pieces: [piece] }))
  expect(piece.length).toBe(0)
  expect(reading).toMatchObject({ name: 'demo' })
  if (reading.refusal === undefined) expect(reading.body.bytes.toString()).toBe(text)
})
