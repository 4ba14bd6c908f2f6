import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { quickest } from '../../tests/pace.ts'
import { ApiError } from '../errors.ts'
import {
  answers,
  DONE,
  event,
  finishEvent,
  openStream,
  type Script,
  startBackend,
  streams,
  textEvent,
  usageEvent,
  usageOf,
} from './testing/backend.ts'
import {
  ask,
  askAndSettle,
  COUNTED_PROMPT_TOKENS,
  closeWorlds,
  dataOf,
  eventually,
  GENERATION_ID,
  MODEL,
  readStream,
  send,
  startWorld,
  type World,
} from './testing/world.ts'

afterEach(closeWorlds)

const PROMPT = COUNTED_PROMPT_TOKENS
const whole = streams(textEvent('Hello'), textEvent(' you'), finishEvent(), usageEvent(9, 2), DONE)

test('a stream is relayed as our own, settled as ok and ends with [DONE]', async () => {
  const world = await startWorld({ script: whole })
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(200)
  expect(reply.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-router-generation-id': GENERATION_ID,
    'x-request-id': 'req-1',
  })
  const { chunks, said } = readStream(reply.text)
  expect(said).toBe('Hello you')
  expect(chunks).toHaveLength(3)
  for (const chunk of chunks) expect(chunk).toMatchObject({ id: GENERATION_ID, model: MODEL })
  for (const chunk of chunks) expect(chunk).not.toHaveProperty('usage')
  expect(outcome).toMatchObject({
    status: 'ok',
    finishReason: 'stop',
    usage: { promptTokens: 9, completionTokens: 2 },
    usageSource: 'backend',
  })
  expect(outcome.timeToFirstTokenMs).toBeLessThanOrEqual(outcome.latencyMs)
  // Nine bytes are more than two deltas.
  expect(world.progress.at(-1)).toBe(3)
})

test('the backend gets the body with its own model and usage asked for, and none of the client’s headers', async () => {
  const body = `{"seed":12345678901234567890,"model":"${MODEL}","stream_options":{"x":1.0,"include_usage":false},"stream":true}`
  const world = await startWorld({ script: whole, body })
  await ask(world)
  const [request] = world.backend.requests
  expect(request!.path).toBe('/v1/chat/completions')
  expect(request!.body).toBe(
    '{"seed":12345678901234567890,"model":"tiny-chat","stream_options":{"x":1.0,"include_usage":true},"stream":true}',
  )
  expect(Object.keys(request!.headers).sort()).toEqual([
    ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host'],
  ])
  expect(request!.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer backend-key' })
})

test('a backend with continuous usage is asked for it', async () => {
  const world = await startWorld({ script: whole, backend: { usage: 'continuous' } })
  await ask(world)
  const { stream_options } = JSON.parse(world.backend.requests[0]!.body)
  expect(stream_options).toEqual({ include_usage: true, continuous_usage_stats: true })
})

test('a client that asked gets one usage-only chunk, ours, before [DONE]', async () => {
  const world = await startWorld({ script: whole, includeUsage: true })
  const { reply } = await askAndSettle(world)
  const { chunks } = readStream(reply.text)
  const shown = chunks.filter((chunk) => chunk.usage != null)
  expect(shown).toEqual([chunks.at(-1)])
  expect(shown[0]).toEqual({
    id: GENERATION_ID,
    object: 'chat.completion.chunk',
    created: 1_767_225_600,
    model: MODEL,
    choices: [],
    usage: { ...usageOf(9, 2), cost_micros: 23, endpoint: 'demo', evidence_digest: null },
  })
})

test('a usage that a backend writes over several lines is one line of one event (STRM-08)', async () => {
  const usage = usageEvent(9, 2).replace('{"prompt_tokens":', '{\ndata: "prompt_tokens":\ndata: ')
  expect(usage.split('\n')).toHaveLength(5)
  const world = await startWorld({ script: streams(textEvent('Hello'), usage, DONE), includeUsage: true })
  const { reply } = await askAndSettle(world)
  const { chunks, last } = readStream(reply.text)
  expect(chunks).toHaveLength(2)
  expect(last.usage).toMatchObject(usageOf(9, 2))
})

test('a stream of legacy completions is relayed and metered the same way', async () => {
  const chunk = (text: string) =>
    event({ id: 'cmpl-1', object: 'text_completion', choices: [{ index: 0, text }] })
  const script = streams(chunk('Hello'), chunk(' you'), chunk(''), DONE)
  const world = await startWorld({ script, operation: 'completions', includeUsage: true })
  const { reply, outcome } = await askAndSettle(world)
  const { chunks, last } = readStream(reply.text)
  expect(chunks.slice(0, -1).map(({ choices }) => choices[0].text)).toEqual(['Hello', ' you', ''])
  expect(last).toMatchObject({ object: 'text_completion', choices: [], usage: usageOf(PROMPT, 3) })
  expect(outcome).toMatchObject({ status: 'ok', usage: { promptTokens: PROMPT, completionTokens: 3 } })
  expect(world.backend.requests[0]!.path).toBe('/v1/completions')
})

test('nothing that tells of the end is sent before the settlement is committed', async () => {
  let commit = () => {}
  const committed = new Promise<void>((resolve) => {
    commit = resolve
  })
  const world = await startWorld({
    script: whole,
    includeUsage: true,
    settle: async () => {
      await committed
      return { costMicros: 1, ledgerId: 'led_1' }
    },
  })
  const { answered } = await send(world)
  const response = await answered
  let text = ''
  response.on('data', (piece) => {
    text += piece
  })
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  await eventually(() => expect(text).toContain('"stop"'))
  expect(text).not.toContain('[DONE]')
  expect(text).not.toContain('cost_micros')
  commit()
  await eventually(() => expect(text.endsWith(DONE)).toBe(true))
})

test('an answer that cannot be settled ends with an internal error, never cleanly', async () => {
  const world = await startWorld({
    script: whole,
    includeUsage: true,
    settle: () => Promise.reject(new Error('away')),
  })
  const { reply } = await askAndSettle(world)
  const { last, said } = readStream(reply.text)
  expect(said).toBe('Hello you')
  expect(last).toMatchObject({ error: { code: 'internal', type: 'server_error' } })
  expect(reply.text).not.toContain('cost_micros')
})

test('an answer without events that cannot be settled is a 500 that is not to be repeated', async () => {
  const world = await startWorld({ script: streams(DONE), settle: () => Promise.reject(new Error('away')) })
  const { reply } = await askAndSettle(world)
  expect(reply.status).toBe(500)
  expect(reply.headers['x-should-retry']).toBe('false')
})

test('a finished stream without usage is counted, and the operator is told', async () => {
  const world = await startWorld({
    script: streams(textEvent('a'), textEvent('b'), DONE),
    includeUsage: true,
  })
  const { reply, outcome } = await askAndSettle(world)
  expect(outcome).toMatchObject({
    status: 'ok',
    usage: { promptTokens: PROMPT, completionTokens: 2 },
    usageSource: 'counted',
  })
  expect(readStream(reply.text).last.usage).toMatchObject({ ...usageOf(PROMPT, 2), cost_micros: 23 })
  expect(world.warnings).toHaveLength(1)
})

test('usage of zeros is authoritative', async () => {
  const world = await startWorld({ script: streams(textEvent('a'), usageEvent(0, 0), DONE) })
  const { outcome } = await askAndSettle(world)
  expect(outcome).toMatchObject({ usage: { promptTokens: 0, completionTokens: 0 }, usageSource: 'backend' })
})

/** Backends that fail after two tokens, and what the client is told. */
const failures: readonly (readonly [string, Script, string])[] = [
  ['ends without [DONE]', streams(textEvent('a'), textEvent('b'), finishEvent()), 'backend_unavailable'],
  [
    'sends what is no JSON',
    streams(textEvent('a'), textEvent('b'), 'data: {"choi\n\n', DONE),
    'backend_error',
  ],
  ['sends what is no chunk', streams(textEvent('a'), textEvent('b'), event([]), DONE), 'backend_error'],
  [
    'reports an error within the stream',
    streams(textEvent('a'), textEvent('b'), event({ error: { message: 'canary', code: 500 } }), DONE),
    'backend_error',
  ],
  [
    'sends an event beyond the cap',
    streams(textEvent('a'), textEvent('b'), `data: ${'x'.repeat(1_100_000)}`, `\n\n${DONE}`),
    'backend_error',
  ],
  [
    'dies',
    (response) => {
      openStream(response)
      response.write(textEvent('a') + textEvent('b'), () => response.socket?.resetAndDestroy())
    },
    'backend_unavailable',
  ],
  [
    'breaks off its chunked body',
    (response) => {
      openStream(response)
      response.write(textEvent('a') + textEvent('b'), () => response.socket?.end())
    },
    'backend_unavailable',
  ],
]

test.each(failures)(
  'a backend that %s after the start ends as error event and [DONE], aborted and counted',
  async (_, script, code) => {
    await showCutOff(await startWorld({ script }), code)
  },
)

test('a backend that falls silent after the start ends as error event and [DONE], aborted and counted', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a') + textEvent('b'))
  }
  await showCutOff(await startWorld({ script, timers: { idleMs: 150 } }), 'backend_unavailable')
})

async function showCutOff(world: World, code: string): Promise<void> {
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(200)
  const { said, last } = readStream(reply.text)
  expect(said).toBe('ab')
  expect(last).toEqual({ error: { message: expect.any(String), type: 'upstream_error', code } })
  expect(reply.text).not.toContain('canary')
  expect(outcome).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: PROMPT, completionTokens: 2 },
    usageSource: 'counted',
  })
  await eventually(() => expect(world.backend.running()).toBe(0))
}

/** Backends that fail before any token, and the status and code that this is. */
const earlyFailures: readonly (readonly [string, Script, number, string])[] = [
  ['refuses a parameter', answers(400, { error: { message: 'top_k' } }), 400, 'unsupported_parameter'],
  ['knows not our key', answers(401, { error: { message: 'canary' } }), 502, 'backend_error'],
  ['knows not the model', answers(404, { error: { message: 'canary' } }), 502, 'backend_error'],
  ['is overloaded', answers(429, 'slow down'), 502, 'backend_unavailable'],
  ['is broken', answers(500, '<html>'), 502, 'backend_unavailable'],
  ['redirects', answers(302, '', { location: 'http://127.0.0.1:1/' }), 502, 'backend_error'],
  ['answers in JSON', answers(200, { choices: [] }), 502, 'backend_error'],
  ['sends an empty stream', streams(), 502, 'backend_unavailable'],
  ['sends only comments', streams(': hi\n\n'), 502, 'backend_unavailable'],
  ['begins with garbage', streams('data: <html>\n\n'), 502, 'backend_error'],
  ['begins with an error', streams(event({ error: { message: 'canary' } })), 502, 'backend_error'],
  [
    'refuses within the stream',
    streams(event({ error: { message: 'is longer than the model’s maximum context length', code: 400 } })),
    400,
    'context_length_exceeded',
  ],
  ['speaks no HTTP', (response) => void response.socket?.end('hello\r\n\r\n'), 502, 'backend_unavailable'],
  ['hangs up', (response) => void response.socket?.destroy(), 502, 'backend_unavailable'],
]

test.each(earlyFailures)(
  'a backend that %s before the first event keeps its real status, and nothing is charged',
  async (_, script, status, code) => {
    await showUncharged(await startWorld({ script }), status, code)
  },
)

test.each([
  ['says nothing', () => {}],
  [
    'sends a head and nothing more',
    (response) => {
      openStream(response)
      response.flushHeaders()
    },
  ],
] satisfies readonly (readonly [string, Script])[])(
  'a backend that %s before the first event keeps its real status, and nothing is charged',
  async (_, script) => {
    const world = await startWorld({ script, timers: { firstByteMs: 150 } })
    await showUncharged(world, 502, 'backend_unavailable')
  },
)

async function showUncharged(world: World, status: number, code: string): Promise<void> {
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(status)
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code } })
  expect(reply.text).not.toContain('canary')
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
  await eventually(() => expect(world.thrown).toHaveLength(1))
}

test('an error before any token costs nothing, even when events went out', async () => {
  const role = event({
    choices: [{ index: 0, delta: { role: 'assistant', content: '' } }],
    usage: usageOf(9, 0),
  })
  const world = await startWorld({ script: streams(role, event({ error: {} })) })
  const { reply, outcome } = await askAndSettle(world)
  expect(readStream(reply.text).last.error.code).toBe('backend_error')
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
})

test('pings keep coming from acceptance to the first token and the first of them sends the head', async () => {
  let tell = (_: string) => {}
  const script: Script = (response) => {
    tell = (text) => {
      if (!response.headersSent) openStream(response)
      response.write(text)
    }
  }
  const world = await startWorld({ script, timers: { pingMs: 40 } })
  const sentAt = performance.now()
  const { answered } = await send(world)
  const response = await answered
  expect(performance.now() - sentAt).toBeGreaterThanOrEqual(39)
  expect(response.statusCode).toBe(200)
  let text = ''
  response.on('data', (piece) => {
    text += piece
  })
  // On a busy machine several come between two looks.
  await eventually(() => expect(text).toMatch(/^(: ping\n\n){3,}$/))
  tell(event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }))
  await eventually(() => expect(text).toMatch(/: ping\n\ndata: \{[^\n]+\}\n\n(: ping\n\n){2}/))
  tell('data: {"choices":[{"delta":{"content":"a"')
  tell('}}]}\n\n')
  await eventually(() => expect(text).toContain('"a"'))
  const afterToken = text
  // That nothing comes can only be seen by waiting: three more pings would have been due.
  await new Promise((resolve) => setTimeout(resolve, 130))
  expect(text).toBe(afterToken)
  tell(DONE)
  await eventually(() => expect(text.endsWith(DONE)).toBe(true))
  expect(dataOf(text)).toHaveLength(3)
})

test('a ping never stands within an event, however long a backend takes over the rest of it', async () => {
  const [first, second] = [textEvent('a').slice(0, 20), textEvent('a').slice(20)]
  let goOn = () => {}
  const script: Script = (response) => {
    openStream(response)
    response.write(event({ choices: [{ index: 0, delta: { role: 'assistant' } }] }))
    response.write(first)
    goOn = () => void response.end(second + DONE)
  }
  const world = await startWorld({ script, timers: { pingMs: 20 } })
  const { answered } = await send(world)
  const response = await answered
  let text = ''
  response.on('data', (piece) => {
    text += piece
  })
  await eventually(() => expect(text.match(/: ping/g)?.length).toBeGreaterThanOrEqual(3))
  goOn()
  await eventually(() => expect(text.endsWith(DONE)).toBe(true))
  expect(text.replaceAll(': ping\n\n', '')).not.toContain('ping')
  expect(readStream(text).said).toBe('a')
})

test('usage on every chunk, which the client did not ask for, is taken out of what it sees', async () => {
  const script = streams(
    textEvent('a', { usage: usageOf(9, 1) }),
    textEvent('b', { usage: usageOf(9, 2) }),
    finishEvent({ usage: usageOf(9, 2) }),
    usageEvent(9, 2),
    DONE,
  )
  for (const includeUsage of [false, true]) {
    const world = await startWorld({ script, backend: { usage: 'continuous' }, includeUsage })
    const { reply, outcome } = await askAndSettle(world)
    const { chunks, said } = readStream(reply.text)
    expect(said).toBe('ab')
    expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(includeUsage ? 1 : 0)
    expect(outcome.usage).toEqual({ promptTokens: 9, completionTokens: 2 })
  }
})

test('a backend that fails after its first byte is not replaced by another in mid-answer', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a'), () => response.socket?.destroy())
  }
  const backends = await Promise.all([startBackend(script), startBackend(script)])
  const configs = backends.map(({ url }) => ({ url, model: 'tiny-chat', usage: 'final' as const }))
  const world = await startWorld({ backends: configs })
  const { reply } = await askAndSettle(world)
  expect(readStream(reply.text)).toMatchObject({
    said: 'a',
    last: { error: { code: 'backend_unavailable' } },
  })
  expect(backends.flatMap(({ requests }) => requests)).toHaveLength(1)
  for (const backend of backends) await backend.close()
})

test('no ping takes the status from a refusal whose reasons are still on their way', async () => {
  const script: Script = (response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.write('{"error":{"message":')
    setTimeout(() => response.end('"no top_k"}}'), 100)
  }
  const world = await startWorld({ script, timers: { pingMs: 30 } })
  const { reply } = await askAndSettle(world)
  expect(reply.status).toBe(400)
  expect(JSON.parse(reply.text).error.message).toBe('no top_k')
})

test.each([
  ['a stream', true],
  ['an answer', false],
])('a mistake in %s stays the client’s though its reasons never end (RLAY-17)', async (_, streamed) => {
  const script: Script = (response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.write('{"error":{"message":')
  }
  // Less than the reasons have, and still no other error.
  const timers = { firstByteMs: 200, idleMs: 200 }
  const world = await startWorld({ script, streamed, timers })
  const { reply } = await askAndSettle(world)
  expect(reply.status).toBe(400)
  expect(JSON.parse(reply.text).error.code).toBe('unsupported_parameter')
})

test('a refusal that comes after the first ping is the stream’s error event', async () => {
  const script: Script = async (response) => {
    await new Promise((resolve) => setTimeout(resolve, 80))
    answers(400, { error: { message: 'no top_k', param: 'top_k' } })(response, undefined as never)
  }
  const world = await startWorld({ script, timers: { pingMs: 30 } })
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(200)
  expect(readStream(reply.text).last).toEqual({
    error: {
      message: 'no top_k',
      type: 'invalid_request_error',
      code: 'unsupported_parameter',
      param: 'top_k',
    },
  })
  expect(outcome.usage).toEqual({ promptTokens: 0, completionTokens: 0 })
})

/** Scripts of a backend that is left, and the tokens that the client had by then. */
const lefts: readonly (readonly [string, Script, string, number])[] = [
  ['before the headers', () => {}, '', 0],
  [
    'before the first token',
    (response) => {
      openStream(response)
      response.write(event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }))
    },
    'assistant',
    0,
  ],
  [
    'in mid-stream',
    (response) => {
      openStream(response)
      response.write(textEvent('a') + textEvent('b'))
    },
    '"b"',
    2,
  ],
]

test.each(lefts)(
  'a client that leaves %s closes the backend’s socket within 250 ms; what it had is counted',
  async (_, script, until, completionTokens) => {
    expect(await quickest(250, () => leaveOnce(script, until, completionTokens))).toBeLessThan(250)
  },
)

/** How long it takes until nothing of a client that left is open at the backend. */
async function leaveOnce(script: Script, until: string, completionTokens: number): Promise<number> {
  const world = await startWorld({ script })
  const { answered, leave } = await send(world)
  await eventually(() => expect(world.backend.requests).toHaveLength(1))
  if (until !== '') {
    let text = ''
    const response = await answered
    response.on('error', () => {})
    response.on('data', (piece) => {
      text += piece
    })
    await eventually(() => expect(text).toContain(until))
  }
  expect(world.backend.sockets.size).toBe(1)
  const leftAt = performance.now()
  leave()
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  const tookMs = performance.now() - leftAt
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: PROMPT, completionTokens },
    usageSource: 'counted',
  })
  expect(world.thrown).toEqual([])
  return tookMs
}

test.each([
  ['a stream', true],
  ['an answer', false],
])('who leaves %s that the backend has refused pays for no prompt (GEN-18)', async (_, streamed) => {
  const script: Script = (response) => void response.writeHead(503).write('{"error":')
  const world = await startWorld({ script, streamed })
  const { leave } = await send(world)
  await eventually(() => expect(world.relay.backends()[0]!.tally.failures.refused).toBe(1))
  leave()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: 0, completionTokens: 0 },
  })
})

test('an aborted stream is metered by the backend’s usage when that speaks of all that was delivered', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a', { usage: usageOf(9, 3) }))
    response.write(textEvent('b', { usage: usageOf(9, 7) }))
  }
  const world = await startWorld({ script, backend: { usage: 'continuous' } })
  const { answered, leave } = await send(world)
  let text = ''
  const response = await answered
  response.on('error', () => {})
  response.on('data', (piece) => {
    text += piece
  })
  await eventually(() => expect(text).toContain('"b"'))
  leave()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: 9, completionTokens: 7 },
    usageSource: 'backend',
  })
})

test('usage that text came after is not taken for an aborted stream', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a', { usage: usageOf(9, 99) }))
    response.write(textEvent('b') + textEvent('c'))
  }
  const world = await startWorld({ script })
  const { answered, leave } = await send(world)
  let text = ''
  const response = await answered
  response.on('error', () => {})
  response.on('data', (piece) => {
    text += piece
  })
  await eventually(() => expect(text).toContain('"c"'))
  leave()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    usage: { promptTokens: PROMPT, completionTokens: 3 },
    usageSource: 'counted',
  })
})

test('the operator is told of a backend’s failure, never of what a backend says about a client’s mistake', async () => {
  const broken = await startWorld({ script: streams(textEvent('a'), 'data: canary\n\n') })
  await askAndSettle(broken)
  expect(broken.warnings).toEqual(['a backend failed'])
  const refusing = await startWorld({ script: answers(400, { error: { message: 'canary' } }) })
  await askAndSettle(refusing)
  expect(refusing.warnings).toEqual([])
  expect(JSON.stringify(broken.logged)).not.toContain('canary')
})

test('a client that closes right after [DONE] has the whole answer', async () => {
  const world = await startWorld({ script: whole })
  const { answered, leave } = await send(world)
  const response = await answered
  response.on('error', () => {})
  response.on('data', (piece) => {
    if (String(piece).includes('[DONE]')) leave()
  })
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]!.status).toBe('ok')
  await eventually(() => expect(world.backend.requests).toHaveLength(1))
  expect(world.outcomes).toHaveLength(1)
})

test('the backend’s socket serves again after a stream, also when its end lags behind [DONE]', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a') + usageEvent(1, 1) + DONE)
    setTimeout(() => response.end(': bye\n\n'), 30)
  }
  const world = await startWorld({ script })
  for (let round = 0; round < 3; round++) {
    expect(readStream((await ask(world)).text).said).toBe('a')
    await eventually(() => expect(world.backend.running()).toBe(0))
  }
  expect(world.backend.connections()).toBe(1)
  expect(world.outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
})

test('a backend that goes on after [DONE] is cut off', async () => {
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a') + DONE)
    const timer = setInterval(() => response.write(': more\n\n'.repeat(2_000)), 5)
    response.on('close', () => clearInterval(timer))
  }
  const world = await startWorld({ script })
  const { outcome } = await askAndSettle(world)
  expect(outcome.status).toBe('ok')
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
})

/** A client that sends the request and never reads. */
async function sendWithoutReading(world: Awaited<ReturnType<typeof startWorld>>) {
  const socket = connect(world.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${world.body.length}\r\n\r\n${world.body}`)
  socket.pause()
  return socket
}

/** A backend that sends as much as it is allowed to, and how much that was. */
function floods() {
  const flood = { sent: 0 }
  const part = textEvent('x'.repeat(1_000)).repeat(16)
  const script: Script = (response) => {
    openStream(response)
    const push = () => {
      while (!response.destroyed) {
        flood.sent += part.length
        if (!response.write(part)) return
      }
    }
    response.on('drain', push)
    push()
  }
  return { flood, script }
}

test('a client that stops reading stops the backend, goes on when it reads again, and memory stays bounded', async () => {
  const { flood, script } = floods()
  const world = await startWorld({ script, timers: { idleMs: 50 } })
  const socket = await sendWithoutReading(world)
  let before = { sent: 0, atMs: 0 }
  await eventually(() => {
    if (flood.sent === 0 || flood.sent !== before.sent) before = { sent: flood.sent, atMs: performance.now() }
    expect(performance.now() - before.atMs).toBeGreaterThan(150)
  })
  expect(flood.sent).toBeLessThan(32 * 1_048_576)
  const stoppedAt = flood.sent
  socket.resume()
  await eventually(() => expect(flood.sent).toBeGreaterThan(2 * stoppedAt))
  expect(world.outcomes).toHaveLength(0)
  socket.destroy()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  expect(world.outcomes[0]!.status).toBe('aborted')
})

test('a client that reads nothing for too long is dropped as aborted and frees the backend’s socket', async () => {
  const { script } = floods()
  const world = await startWorld({ script, timers: { stalledClientMs: 200, idleMs: 100 } })
  const socket = await sendWithoutReading(world)
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]!.status).toBe('aborted')
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  socket.destroy()
})

test('the router can end a stream with an error of its own', async () => {
  const stop = new AbortController()
  const script: Script = (response) => {
    openStream(response)
    response.write(textEvent('a'))
    setTimeout(() => stop.abort(new ApiError('backend_unavailable', 'The router is stopping.')), 20)
  }
  const world = await startWorld({ script, signal: stop.signal })
  const { reply, outcome } = await askAndSettle(world)
  const { said, last } = readStream(reply.text)
  expect({ said, message: last.error.message }).toEqual({ said: 'a', message: 'The router is stopping.' })
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: PROMPT, completionTokens: 1 } })
})

test('one signal ends every stream that runs, and is let go of by those that have ended', async () => {
  const stop = new AbortController()
  let isSilent = false
  const script: Script = (response) => (isSilent ? openStream(response) : whole(response, undefined as never))
  const world = await startWorld({ script, signal: stop.signal })
  await ask(world)
  isSilent = true
  const replies = Promise.all(Array.from({ length: 20 }, () => ask(world)))
  await eventually(() => expect(world.backend.requests).toHaveLength(21))
  stop.abort(new ApiError('backend_unavailable', 'The router is stopping.'))
  expect((await replies).map(({ status }) => status)).toEqual(Array(20).fill(502))
  expect(world.outcomes.map(({ status }) => status)).toEqual(['ok', ...Array(20).fill('aborted')])
  expect((await ask(world)).status).toBe(502)
  expect(world.backend.requests).toHaveLength(21)
})

test('whatever a backend sends, the relay survives, settles once and never ends well without [DONE]', async () => {
  let bytes = Buffer.alloc(0)
  const world = await startWorld({
    script: (response) => {
      openStream(response)
      response.end(bytes)
    },
  })
  const part = fc.oneof(
    fc.constantFrom(
      textEvent('a'),
      finishEvent(),
      usageEvent(1, 1),
      ': x\n\n',
      '\n',
      '\r',
      '\u{feff}',
      'data:',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.json({ maxDepth: 2 }).map((json) => `data: ${json}\n\n`),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      bytes = Buffer.from(parts.join(''))
      world.outcomes.length = 0
      const { reply, outcome } = await askAndSettle(world)
      expect(outcome.status).toBe('aborted')
      if (reply.status === 200) expect(readStream(reply.text).last.error).toBeDefined()
      else expect(JSON.parse(reply.text).error).toBeDefined()
    }),
    { numRuns: 150 },
  )
})

test('bytes that are no HTTP at all never end well either', async () => {
  let bytes = Buffer.alloc(0)
  const world = await startWorld({ script: (response) => void response.socket?.end(bytes) })
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n'
  const part = fc.oneof(
    fc.constantFrom(
      head,
      '\r\n',
      'transfer-encoding: chunked\r\n',
      'content-length: 5\r\n',
      '5\r\n',
      textEvent('a'),
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      bytes = Buffer.from(parts.join(''))
      world.outcomes.length = 0
      const { reply, outcome } = await askAndSettle(world)
      expect(outcome.status).toBe('aborted')
      if (reply.status === 200) expect(readStream(reply.text).last.error).toBeDefined()
    }),
    { numRuns: 100 },
  )
})

test('an event beyond 1 MiB is relayed where the operator allows it, and ends the stream where not', async () => {
  const script = streams(
    textEvent('a'),
    textEvent('x'.repeat(2_000_000)),
    finishEvent(),
    usageEvent(9, 2),
    DONE,
  )
  const allowed = await startWorld({ script, maxEventBytes: 4_194_304 })
  expect(readStream((await askAndSettle(allowed)).reply.text).said).toHaveLength(2_000_001)
  const usual = await startWorld({ script })
  const { reply, outcome } = await askAndSettle(usual)
  expect(readStream(reply.text)).toMatchObject({ said: 'a', last: { error: { code: 'backend_error' } } })
  expect(outcome.status).toBe('aborted')
})
