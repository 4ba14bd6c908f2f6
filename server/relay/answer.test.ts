import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { quickest } from '../../tests/pace.ts'
import { ApiError } from '../errors.ts'
import { answers, DONE, event, type Script, streams, usageOf } from './testing/backend.ts'
import {
  askAndSettle,
  COUNTED_PROMPT_TOKENS,
  closeWorlds,
  eventually,
  GENERATION_ID,
  MODEL,
  send,
  startWorld,
  type World,
  type WorldOptions,
} from './testing/world.ts'

afterEach(closeWorlds)

const shown = { cost_micros: 23, endpoint: 'demo', evidence_digest: null }

function completion(message: object, more: object = {}): object {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }]
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'tiny-chat', choices, ...more }
}

const startAnswerWorld = (options: WorldOptions) => startWorld({ streamed: false, ...options })

test('an answer is relayed with our id, model and usage, and all else byte for byte', async () => {
  const body =
    '{ "id":"x", "model":"tiny-chat","big":12345678901234567890, "one":1.0,\n"choices":[{"message":{"content":"é"},' +
    '"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"details":{"a":1.0}}}'
  const world = await startAnswerWorld({ script: answers(200, body, { 'x-secret': 'canary' }) })
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(200)
  expect(reply.text).toBe(
    `{ "id":"${GENERATION_ID}", "model":"${MODEL}","big":12345678901234567890, "one":1.0,\n"choices":[{"message":` +
      '{"content":"é"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,' +
      '"details":{"a":1.0},"cost_micros":23,"endpoint":"demo","evidence_digest":null}}',
  )
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(reply.text)),
    'x-router-generation-id': GENERATION_ID,
  })
  expect(reply.headers).not.toHaveProperty('x-secret')
  expect(outcome).toMatchObject({
    status: 'ok',
    finishReason: 'length',
    usage: { promptTokens: 9, completionTokens: 2 },
    usageSource: 'backend',
    timeToFirstTokenMs: null,
  })
})

test.each([
  [
    'in its text',
    Buffer.from([...Buffer.from('{"choices":[{"message":{"content":"'), 0xff, ...Buffer.from('"}}]}')]),
  ],
  [
    'at its end, cut off',
    Buffer.from([
      ...Buffer.from('{"choices":[{"message":{"content":"'),
      0xe2,
      0x82,
      0x22,
      ...Buffer.from('}}]}'),
    ]),
  ],
  [
    'as a surrogate',
    Buffer.from([...Buffer.from('{"choices":[],"x":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
  ],
])('an answer with bytes that are no UTF-8 %s is 502 backend_error', async (_, bytes) => {
  const script: Script = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(bytes)
  const { reply, outcome } = await askAndSettle(await startAnswerWorld({ script }))
  expect(reply.status).toBe(502)
  expect(JSON.parse(reply.text).error.code).toBe('backend_error')
  expect(outcome.status).toBe('aborted')
})

test('of names that stand twice the client gets what was metered, once', async () => {
  const body =
    '{"usage":{"prompt_tokens":1,"completion_tokens":1},"id":"x","choices":[{"message":{"content":"12345678"}}],' +
    '"usage":{"prompt_tokens":5,"completion_tokens":3,"cost_micros":1,"prompt_tokens":9,"cost_micros":2},"id":"y"}'
  const { reply, outcome } = await askAndSettle(await startAnswerWorld({ script: answers(200, body) }))
  expect(outcome.usage).toEqual({ promptTokens: 9, completionTokens: 3 })
  expect(reply.text).toBe(
    `{"choices":[{"message":{"content":"12345678"}}],"usage":{"completion_tokens":3,"prompt_tokens":9,` +
      `"cost_micros":23,"total_tokens":12,"endpoint":"demo","evidence_digest":null},"id":"${GENERATION_ID}","model":"${MODEL}"}`,
  )
})

test('the backend is asked for JSON, and for no usage beside what an answer has anyway', async () => {
  const world = await startAnswerWorld({ script: answers(200, completion({ content: '' })) })
  await askAndSettle(world)
  const [request] = world.backend.requests
  expect(request!.headers.accept).toBe('application/json')
  expect(JSON.parse(request!.body)).not.toHaveProperty('stream_options')
})

test.each([
  ['text', { content: '12345' }, 2],
  ['text of many bytes', { content: 'éééé' }, 2],
  ['reasoning and a refusal', { content: null, reasoning_content: '1234', refusal: '12345678' }, 3],
  ['a tool call', { content: null, tool_calls: [{ function: { name: 'fn', arguments: '{"a":1}' } }] }, 3],
  [
    'a call of a custom tool',
    { content: null, tool_calls: [{ custom: { name: 'fn', input: 'ls -la' } }] },
    2,
  ],
  [
    'parts',
    {
      content: [
        { type: 'text', text: '1234' },
        { type: 'text', text: '5' },
      ],
    },
    2,
  ],
  ['nothing', { content: null }, 0],
])('an answer of %s without usage is counted by its bytes', async (_, message, completionTokens) => {
  for (const usage of [undefined, null, { prompt_tokens: -1, completion_tokens: 5 }]) {
    const world = await startAnswerWorld({ script: answers(200, completion(message, { usage })) })
    const { reply, outcome } = await askAndSettle(world)
    expect(outcome).toMatchObject({
      status: 'ok',
      usage: { promptTokens: COUNTED_PROMPT_TOKENS, completionTokens },
      usageSource: 'counted',
    })
    expect(JSON.parse(reply.text).usage).toEqual({
      ...usageOf(COUNTED_PROMPT_TOKENS, completionTokens),
      ...shown,
    })
  }
})

test.each([
  ['another total', '{"prompt_tokens":9,"completion_tokens":2,"total_tokens":99}'],
  ['a total that is no number', '{"prompt_tokens":9,"completion_tokens":2,"total_tokens":"many"}'],
  ['counts with a fraction of nothing', '{"prompt_tokens":9.0,"completion_tokens":2e0,"total_tokens":11}'],
])('a backend that tells %s is shown with the counts that are billed (CHAT-04)', async (_, usage) => {
  const body = `{"choices":[{"message":{"content":"abc"}}],"usage":${usage}}`
  const { reply, outcome } = await askAndSettle(await startAnswerWorld({ script: answers(200, body) }))
  expect(outcome).toMatchObject({
    usage: { promptTokens: 9, completionTokens: 2 },
    usageSource: 'backend',
  })
  expect(reply.text).toContain('"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,')
})

test.each([
  ['none where a backend writes an empty one', [''], null],
  ['the last that a choice names, as of a stream', ['stop', 'length', ''], 'length'],
])('the finish reason of an answer is %s (GEN-19)', async (_, reasons, finishReason) => {
  const choices = reasons.map((finish_reason, index) => ({ index, text: 'a', finish_reason }))
  const events = choices.map((choice) => event({ choices: [choice] }))
  const operation = 'completions'
  const answered = await startAnswerWorld({ operation, script: answers(200, { choices }) })
  const streamed = await startWorld({ operation, script: streams(...events, DONE) })
  for (const world of [answered, streamed]) {
    expect((await askAndSettle(world)).outcome.finishReason).toBe(finishReason)
  }
})

test('usage of zeros is authoritative', async () => {
  const world = await startAnswerWorld({
    script: answers(200, completion({ content: 'abc' }, { usage: usageOf(0, 0) })),
  })
  const { outcome } = await askAndSettle(world)
  expect(outcome).toMatchObject({ usage: { promptTokens: 0, completionTokens: 0 }, usageSource: 'backend' })
})

test('embeddings are metered by their prompt and get no id', async () => {
  const body = { object: 'list', data: [], model: 'tiny', usage: { prompt_tokens: 5, total_tokens: 5 } }
  const world = await startAnswerWorld({ operation: 'embeddings', script: answers(200, body) })
  const { reply, outcome } = await askAndSettle(world)
  expect(outcome.usage).toEqual({ promptTokens: 5, completionTokens: 0 })
  expect(JSON.parse(reply.text)).toEqual({ ...body, model: MODEL, usage: { ...body.usage, ...shown } })
})

test('embeddings cost their prompt alone, and an id that a backend gives becomes the generation’s', async () => {
  const usage = { prompt_tokens: 5, total_tokens: 12, completion_tokens: 7 }
  const body = { id: 'embd-1', object: 'list', data: [{ embedding: 'AAAA' }], model: 'tiny', usage }
  const world = await startAnswerWorld({ operation: 'embeddings', script: answers(200, body) })
  const { reply, outcome } = await askAndSettle(world)
  expect(outcome.usage).toEqual({ promptTokens: 5, completionTokens: 0 })
  const counts = { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 }
  expect(JSON.parse(reply.text)).toEqual({
    ...{ ...body, id: GENERATION_ID, model: MODEL },
    usage: { ...counts, ...shown },
  })
})

test('embeddings without usage cost the router’s own count of the prompt', async () => {
  const body = { object: 'list', data: [], model: 'tiny' }
  const world = await startAnswerWorld({ operation: 'embeddings', script: answers(200, body) })
  const { reply, outcome } = await askAndSettle(world)
  const tokens = COUNTED_PROMPT_TOKENS
  expect(outcome).toMatchObject({
    usage: { promptTokens: tokens, completionTokens: 0 },
    usageSource: 'counted',
  })
  expect(JSON.parse(reply.text).usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens, ...shown })
})

test('a text completion is metered and counted as a chat is', async () => {
  const body = {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'tiny',
    choices: [{ index: 0, text: '12345678', finish_reason: 'stop' }],
  }
  const world = await startAnswerWorld({ operation: 'completions', script: answers(200, body) })
  const { reply, outcome } = await askAndSettle(world)
  expect(outcome).toMatchObject({
    usageSource: 'counted',
    usage: { completionTokens: 2 },
    finishReason: 'stop',
  })
  expect(JSON.parse(reply.text)).toMatchObject({ id: GENERATION_ID, model: MODEL, choices: body.choices })
})

test.each([
  ['an error', answers(200, { error: { message: 'canary' } }), 502, 'backend_error'],
  ['no JSON', answers(200, '<html>canary'), 502, 'backend_error'],
  ['an array', answers(200, '[]'), 502, 'backend_error'],
  ['no choices', answers(200, '{"detail":"canary"}'), 502, 'backend_error'],
  ['nothing', answers(200, ''), 502, 'backend_error'],
  ['a 204', answers(204, ''), 502, 'backend_error'],
  ['a 400', answers(400, { error: { message: 'bad top_k', param: 'top_k' } }), 400, 'unsupported_parameter'],
  ['a 401', answers(401, { error: { message: 'canary' } }), 502, 'backend_error'],
  ['a 503', answers(503, 'canary'), 502, 'backend_unavailable'],
  [
    'half of its body',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' })
      response.write('{"id":', () => response.socket?.end())
    },
    502,
    'backend_unavailable',
  ],
] satisfies readonly (readonly [string, Script, number, string])[])(
  'a backend that sends %s is an error, aborted and free',
  async (_, script, status, code) => {
    await showFree(await startAnswerWorld({ script }), status, code)
  },
)

test('a backend that sends no byte in time is an error, aborted and free', async () => {
  const world = await startAnswerWorld({ script: () => {}, timers: { firstByteMs: 150 } })
  await showFree(world, 502, 'backend_unavailable')
})

async function showFree(world: World, status: number, code: string): Promise<void> {
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(status)
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code } })
  expect(reply.text).not.toContain('canary')
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
}

test('an answer beyond the cap is cut off as an error', async () => {
  const script: Script = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const part = Buffer.alloc(1_048_576, 0x20)
    const push = () => {
      while (!response.destroyed && response.write(part));
    }
    response.on('drain', push)
    push()
  }
  const world = await startAnswerWorld({ script })
  const { reply } = await askAndSettle(world)
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'backend_error' } })
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
})

test('the backend’s Retry-After is kept', async () => {
  for (const value of ['7', '59']) {
    const world = await startAnswerWorld({ script: answers(429, '', { 'retry-after': value }) })
    const { reply } = await askAndSettle(world)
    expect(reply.headers['retry-after']).toBe(value)
  }
  const world = await startAnswerWorld({ script: answers(429, '', { 'retry-after': 'canary' }) })
  const { reply } = await askAndSettle(world)
  expect(reply.headers).not.toHaveProperty('retry-after')
})

test.each([
  ['while waiting for headers', () => {}],
  [
    'in the middle of the body',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"id":')
    },
  ],
] satisfies readonly (readonly [string, Script])[])(
  'a client that leaves %s cancels the backend within 250 ms; its prompt is counted',
  async (_, script) => {
    const leaveOnce = async () => {
      const world = await startAnswerWorld({ script })
      const { leave } = await send(world)
      await eventually(() => expect(world.backend.requests).toHaveLength(1))
      const leftAt = performance.now()
      leave()
      await eventually(() => expect(world.backend.sockets.size).toBe(0))
      const tookMs = performance.now() - leftAt
      await eventually(() => expect(world.outcomes).toHaveLength(1))
      expect(world.outcomes[0]).toMatchObject({
        status: 'aborted',
        usage: { promptTokens: COUNTED_PROMPT_TOKENS, completionTokens: 0 },
        usageSource: 'counted',
      })
      expect(world.thrown).toEqual([])
      return tookMs
    }
    expect(await quickest(250, leaveOnce)).toBeLessThan(250)
  },
)

test('an answer that cannot be settled is a 500 that is not to be repeated', async () => {
  const script = answers(200, completion({ content: 'a' }))
  const world = await startAnswerWorld({ script, settle: () => Promise.reject(new Error('away')) })
  const { reply } = await askAndSettle(world)
  expect(reply.status).toBe(500)
  expect(reply.headers['x-should-retry']).toBe('false')
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'internal' } })
})

test('the router can end a waiting request with an error of its own; its prompt is counted', async () => {
  const stop = new AbortController()
  const script: Script = () => {
    stop.abort(new ApiError('attestation_revoked', 'The verdict was withdrawn.'))
  }
  const world = await startAnswerWorld({ script, signal: stop.signal })
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(503)
  expect(outcome).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: COUNTED_PROMPT_TOKENS, completionTokens: 0 },
  })
})

test('whatever a backend sends, the relay survives, settles once and is ok only for an answer', async () => {
  let body = ''
  const world = await startAnswerWorld({
    script: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    },
  })
  const bodies = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc
      .record({ choices: fc.jsonValue(), usage: fc.jsonValue(), error: fc.constantFrom(null, 'x') })
      .map((value) => JSON.stringify(value)),
    fc
      .array(fc.record({ message: fc.jsonValue(), text: fc.jsonValue() }))
      .map((choices) => JSON.stringify({ choices })),
  )
  await fc.assert(
    fc.asyncProperty(bodies, async (text) => {
      body = text
      world.outcomes.length = 0
      const { reply, outcome } = await askAndSettle(world)
      expect(outcome.status).toBe(reply.status === 200 ? 'ok' : 'aborted')
      const answer = JSON.parse(reply.text)
      if (reply.status === 200)
        expect(answer).toMatchObject({ id: GENERATION_ID, model: MODEL, usage: shown })
      else expect(answer.error.code).toBe('backend_error')
    }),
    { numRuns: 150 },
  )
})
