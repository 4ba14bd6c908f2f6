import { setTimeout as sleep } from 'node:timers/promises'
import type { RuleId } from '#contract/rules'
import { expectAborted } from '../engine/aborted.ts'
import * as assert from '../engine/assert.ts'
import { freeRecord, untold, uselessBodies } from '../engine/backend-refusals.ts'
import { costMicros } from '../engine/books.ts'
import { shows } from '../engine/checks.ts'
import type { Context } from '../engine/context.ts'
import type { DataDefinition, Expectation } from '../engine/data/definition.ts'
import {
  errorIn,
  expectChat,
  expectError,
  expectStatus,
  expectSubset,
  generationIdOf,
  recordIn,
} from '../engine/expect.ts'
import { type Exchange, objectOf } from '../engine/http/exchange.ts'
import { parsed } from '../engine/http/json.ts'
import { priceOf } from '../engine/prices.ts'
import { expectBegun, expectFailedStream, expectStream } from '../engine/stream.ts'
import { toldLate } from '../engine/told-late.ts'
import type { Topic } from '../engine/topic.ts'

/** Long enough for every sensible number of failures, and for rests between probes to have grown (ours). */
const OUTAGE_MS = 4_000
const PAUSE_MS = 50

/** Between two requests that look for a backend which rests for seconds: a key has so many a minute (ours). */
const LOOK_AGAIN_MS = 200

/** What a backend has for its reasons (RLAY-17), and until when its client should have been told of them (ours). */
const REASONS_MS = 2_000
const SOON_MS = 5_000

/** Two seconds of rest, as the backend asks for it. */
const RETRY_AFTER = '2'

/** What becomes of a backend's status. */
interface Failure {
  readonly rule: RuleId
  /** Goes on the title: "A backend's 401 …". */
  readonly what: string
  readonly expect: Expectation
  /** Headers that the backend sends. */
  readonly headers?: Readonly<Record<string, string>>
}

const hidden: Failure = {
  rule: 'RLAY-04',
  what: 'answers 502 backend_error, and nothing of it is told',
  expect: { error: 'backend_error' },
}

const awaited: Failure = {
  rule: 'RLAY-05',
  what: 'answers 502 backend_unavailable with its Retry-After, and nothing else of it is told',
  headers: { 'retry-after': '17' },
  expect: { error: 'backend_unavailable', headers: { 'retry-after': '17' } },
}

/** Of a backend that fails (ERR-19, ERR-20). */
const codes: readonly string[] = ['backend_unavailable', 'backend_error']

export default {
  'backend-401': failing(401, hidden),
  'backend-403': failing(403, hidden),
  'backend-404': failing(404, hidden),
  'backend-408': failing(408, {
    rule: 'RLAY-05',
    what: 'is a time-out, 502 backend_unavailable',
    expect: { error: 'backend_unavailable' },
  }),
  'backend-413': failing(413, {
    rule: 'RLAY-11',
    what: "is the client's 413, and nothing else of it is told",
    expect: { error: 'request_too_large' },
  }),
  'backend-429': failing(429, awaited),
  'backend-500': failing(500, awaited),
  'backend-502': failing(502, awaited),
  'backend-503': failing(503, awaited),
  'backend-529': failing(529, awaited),

  circuit: {
    rules: ['RLAY-10'],
    title: 'A backend that cannot be connected to is left out, and used again once a probe has found it back',
    needs: ['generation', 'backendScript', 'model:fragile', 'backendWire'],
    subjects: ['router'],
    waitsMs: () => OUTAGE_MS * 2,
    async run(context) {
      await context.script({ chunks: 1 })
      const before = new Set<string>()
      for (let request = 0; request < 4; request++) before.add(await servedBy(context))
      assert.equal(before.size, 2, 'both backends serve while both can be reached')
      await context.wire('backendWire').cut()
      const other = await servedBy(context)
      for (const until = Date.now() + OUTAGE_MS; Date.now() < until; await sleep(PAUSE_MS))
        assert.equal(await servedBy(context), other)
      await context.wire('backendWire').mend()
      await context.eventually(
        'the backend that is back serves again',
        async () => {
          await sleep(LOOK_AGAIN_MS)
          return (await servedBy(context)) !== other
        },
        OUTAGE_MS * 5,
      )
    },
  },

  codes: {
    rules: ['ERR-19', 'ERR-20'],
    title: 'A backend that fails, or whose answer is none, is told as 502 upstream_error, by either code',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const rule of [
        { status: 503 },
        { status: 404 },
        { body: '<!doctype html>' },
        { fault: { kind: 'refuse' } },
      ]) {
        await context.script(rule)
        const exchange = await context.chat()
        assert.ok(exchange.status >= 400, `a backend that fails is answered ${exchange.status}`)
        const { code, type } = errorIn(objectOf(exchange))
        // Which of the two is for what is left open.
        shows(code === 'backend_error' ? 'ERR-20' : 'ERR-19')
        expectStatus(exchange, 502)
        assert.ok(codes.includes(code), `the code is ${code}`)
        assert.equal(type, 'upstream_error')
        shows()
      }
    },
  },

  'early-hints': {
    rules: ['RLAY-14'],
    title: 'A backend that sends a 103, and then an answer without a length, is relayed like any other',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const untilClose of [false, true]) {
        await context.script({ chunks: 3, hints: true, untilClose })
        assert.equal(expectChat(await context.chat()).choices[0]?.message.content, 'word1 word2 word3')
        assert.equal(expectStream(await context.chat({ stream: true })).text, 'word1 word2 word3')
      }
    },
  },

  'ends-with-connection': {
    rules: ['RLAY-14', 'STRM-14'],
    title:
      'Of an answer that comes in no chunks the connection tells the end, and a stream cut there is not whole',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      const answer = { chunks: 3, untilClose: true, headers: { 'transfer-encoding': 'identity' } }
      await context.script(answer)
      shows('RLAY-14')
      assert.equal(expectChat(await context.chat()).choices[0]?.message.content, 'word1 word2 word3')
      assert.equal(expectStream(await context.chat({ stream: true })).text, 'word1 word2 word3')
      await context.script({ ...answer, fault: { kind: 'eof', afterChunks: 2 } })
      const cut = await context.chat({ stream: true })
      shows('STRM-14')
      assert.equal(expectFailedStream(cut).error.code, 'backend_unavailable')
      await expectAborted(context, cut)
      shows('RLAY-14')
      expectError(await context.chat(), 'backend_error')
    },
  },

  failover: {
    rules: ['RLAY-07'],
    title: 'A backend that refuses the connection is passed over for another one',
    needs: ['generation', 'backendScript', 'model:failover'],
    async run(context) {
      await context.script({ chunks: 3 })
      const model = context.model('failover')
      for (let turn = 0; turn < 6; turn++) {
        assert.equal(
          expectChat(await context.chat({ model })).choices[0]?.message.content,
          'word1 word2 word3',
        )
        assert.equal(expectStream(await context.chat({ model, stream: true })).text, 'word1 word2 word3')
      }
      assert.equal((await context.received()).length, 12)
    },
  },

  'fallback-model': {
    rules: ['RLAY-16'],
    title:
      'Where a model names another to serve in its place, answer, record and price are those of the one that served',
    needs: ['workspace', 'books', 'backendScript', 'model:unserved', 'model:standIn'],
    async run(context) {
      const [model, other] = [context.model('unserved'), context.model('standIn')]
      const prices = await priceOf(context, 'standIn')
      await context.script({ chunks: 3, promptTokens: 100, completionTokens: 300 })
      const answer = expectChat(await context.chat({ model }))
      const { chunks } = expectStream(await context.chat({ model, stream: true }))
      assert.deepEqual([answer.model, chunks[0]?.model], [other, other])
      const cost = costMicros({ promptTokens: 100, completionTokens: 300 }, prices)
      assert.equal(answer.usage.cost_micros, cost)
      const { generations, holds } = await context.books()
      assert.deepEqual(holds, [])
      for (const record of generations) {
        // How its tokens came to be known is told elsewhere.
        const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = record
        const own = costMicros({ promptTokens, completionTokens }, prices)
        assert.deepEqual([record.model, record.cost_micros], [other, own])
      }
      assert.equal(generations.length, 2)
      // A key that may not use the other one is told of the failure, and nothing is sent.
      const sent = (await context.received()).length
      const account = await context.accounts.open({ scope: ['unserved'] })
      expectError(await context.chat({ model }, { account }), 'backend_unavailable')
      assert.equal((await context.received()).length, sent)
    },
  },

  'idle-backend': {
    rules: ['RLAY-06'],
    title: 'A backend that is slow but within the times for each step is waited for',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ firstByteMs, idleMs }) => (Math.min(firstByteMs, idleMs) + idleMs * 2) * 0.5,
    async run(context) {
      const { firstByteMs, idleMs } = context.target.limits
      await context.script({
        chunks: 3,
        beforeFirstChunkMs: Math.min(firstByteMs, idleMs) * 0.4,
        betweenChunksMs: idleMs * 0.4,
      })
      assert.equal(expectStream(await context.chat({ stream: true })).text, 'word1 word2 word3')
    },
  },

  'interim-answers': {
    rules: ['PRXY-29'],
    title: 'Interim answers (1xx) of a backend are passed over, whole and streamed',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const interim of [[100], [102, 102], [103], [100, 103, 102]]) {
        await context.script({ chunks: 3, interim })
        expectChat(await context.chat())
        expectStream(await context.chat({ stream: true }))
      }
    },
  },

  'least-busy': {
    rules: ['RLAY-09'],
    title: 'Of two backends the less busy one is taken',
    needs: ['generation', 'backendScript', 'model:twins'],
    // Another scenario may keep one of the two busy meanwhile.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
      const model = context.model('twins')
      const calls = [await context.stream({ model })]
      await expectBegun(calls[0]!, 2)
      calls.push(await context.stream({ model }))
      await expectBegun(calls[1]!, 2)
      const names = (await context.received()).map(({ body }) => parsed(body).model)
      for (const call of calls) call.abort()
      assert.equal(names.length, 2)
      assert.notEqual(names[0], names[1], `both went to ${names[0]}`)
    },
  },

  'never-sent-twice': {
    rules: ['RLAY-07', 'RLAY-08'],
    title: 'A request of which a byte was sent is never sent again',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const faults = [
        { fault: { kind: 'refuse' } },
        // From here on a response has begun.
        { chunks: 5, fault: { kind: 'cut', afterChunks: 0 } },
        { chunks: 5, fault: { kind: 'cut', afterChunks: 2 } },
        { chunks: 5, fault: { kind: 'cut', afterChunks: 2, reset: true } },
        { status: 503 },
      ]
      for (const [index, script] of faults.entries()) {
        await context.script(script)
        await context.chat({ stream: true })
        const { length } = await context.received()
        shows('RLAY-07', ...(index > 0 ? (['RLAY-08'] as const) : []))
        assert.ok(length <= index + 1, `it was sent again after ${JSON.stringify(script)}`)
        shows()
        assert.equal(length, index + 1, 'it was not sent at all')
      }
    },
  },

  'no-address-told': {
    rules: ['RLAY-12'],
    title: 'A backend that names its own address or key in a refusal has them taken out, encoded ones too',
    needs: ['generation', 'backendScript'],
    async run(context) {
      shows()
      await context.script({ chunks: 1 })
      expectStatus(await context.chat(), 200)
      const { host, authorization } = (await context.received()).at(-1)?.headers ?? {}
      const key = String(authorization ?? '').replace(/^Bearer /, '')
      const address = `http://${String(host)}/v1/chat/completions`
      const secrets = [String(host), String(host).split(':')[0]!, ...(key === '' ? [] : [key])]
      for (const told of [address, encodeURIComponent(address), ...secrets]) {
        const error = { error: { message: `Not so (${told}).`, type: 'x', param: told, code: 400 } }
        await context.script({ status: 400, error })
        for (const stream of [false, true]) {
          const exchange = await context.chat({ stream })
          const { message, param = '' } = errorIn(toldLate(exchange) ?? objectOf(exchange))
          shows('RLAY-12')
          for (const secret of [...secrets, encodeURIComponent(String(host))])
            assert.ok(!`${message} ${param}`.includes(secret), `${secret} was told`)
          // That the words come at all is REQ-36.
          shows()
          assert.match(expectError(exchange, 'unsupported_parameter').message, /^Not so/)
        }
      }
    },
  },

  'not-utf8': {
    rules: ['RLAY-13', 'STRM-15'],
    title:
      'An answer whose bytes are not UTF-8 is 502 backend_error, and a stream of such ends with an error event',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const body = Buffer.from(
        '{"object":"chat.completion","choices":[{"index":0,"message":{"content":"?"}}]}',
      )
      await context.script({ bytes: withBadByte(body) })
      shows('RLAY-13')
      expectError(await context.chat(), 'backend_error')
      const head = '"id":"x","object":"chat.completion.chunk","created":1,"model":"x"'
      const good = `data: {${head},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n`
      const events = Buffer.from(`${good}${good.replace('"a"', '"?"')}data: [DONE]\n\n`)
      await context.script({ bytes: withBadByte(events), headers: { 'content-type': 'text/event-stream' } })
      shows('STRM-15')
      const exchange = await context.chat({ stream: true })
      expectStatus(exchange, 200)
      const { error, text } = expectFailedStream(exchange)
      assert.deepEqual([error.code, text], ['backend_error', 'a'])
    },
  },

  'other-mode': {
    rules: ['STRM-18'],
    title: 'A backend that answers in the other mode than asked is no success',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 3, stream: false })
      expectError(await context.chat({ stream: true }), 'backend_error')
      await context.script({ chunks: 3, stream: true })
      expectError(await context.chat({ stream: false }), 'backend_error')
    },
  },

  'reasons-without-end': {
    rules: ['RLAY-17'],
    title:
      'A refusal has a moment for its reasons; one that never comes to its end is told within seconds, as one that does',
    needs: ['generation', 'backendScript'],
    waitsMs: () => REASONS_MS,
    async run(context) {
      const refusal = { status: 400, error: { error: { message: 'Not so.', type: 'x', code: 400 } } }
      const timeoutMs = context.patience(SOON_MS)
      const ask = () => Promise.all([false, true].map((stream) => context.chat({ stream }, { timeoutMs })))
      shows()
      await context.script(refusal)
      const usual = (await ask()).map(toldOf)
      // Whoever is refused for a reason of the router's own meets no backend; whose words are told is another rule's.
      assert.ok((await context.received()).length >= usual.length, 'the backend was not asked')
      await context.script({ ...refusal, fault: { kind: 'stall', afterChunks: 0 } })
      const exchanges = await ask()
      shows('RLAY-17')
      for (const { ending } of exchanges)
        assert.equal(ending, 'complete', `it was not told within ${timeoutMs} ms`)
      // How it is worded is another rule's.
      shows()
      const told = exchanges.map(toldOf)
      shows('RLAY-17')
      assert.deepEqual(told, usual)
      shows()
      await context.script({ ...refusal, beforeFirstChunkMs: REASONS_MS / 4 })
      const late = (await ask()).map(toldOf)
      shows('RLAY-17')
      assert.deepEqual(late, usual, 'reasons that come later than their head are told')
    },
  },

  'refused-elsewhere': {
    rules: ['RLAY-15', 'RLAY-10'],
    title:
      'A backend that answers 429, 502, 503 or 504 is passed over for another one, left alone, and used again later',
    needs: ['generation', 'backendScript', 'model:replicas'],
    subjects: ['router'],
    // Whether a probe is due is chance.
    isCompared: false,
    waitsMs: () => 4 * Number(RETRY_AFTER) * 1_000,
    async run(context) {
      const model = context.model('replicas')
      for (const status of [429, 502, 503, 504]) {
        await context.script({ model: 'replica-a', status, headers: { 'retry-after': RETRY_AFTER } })
        const before = (await context.received()).length
        const begunMs = performance.now()
        for (let turn = 0; turn < 3; turn++) {
          shows('RLAY-15')
          expectChat(await context.chat({ model }))
          expectStream(await context.chat({ model, stream: true }))
        }
        const names = (await context.received()).slice(before).map(({ body }) => parsed(body).model as string)
        assert.equal(names.filter((name) => name === 'replica-b').length, 6)
        // Where the six took longer than its rest, it was rightly asked again, once for each.
        const rests = Math.floor((performance.now() - begunMs) / (Number(RETRY_AFTER) * 1_000))
        const asked = names.filter((name) => name === 'replica-a').length
        shows()
        assert.ok(asked >= 1, 'it was not asked at all')
        shows('RLAY-10')
        assert.ok(asked <= 1 + rests, `it was not left alone after a ${status}, but asked ${asked} times`)
        await context.script({})
        await context.eventually(
          'the backend that is back serves again',
          async () => {
            await sleep(LOOK_AGAIN_MS)
            expectChat(await context.chat({ model }))
            return (await context.received()).at(-1)?.body.includes('replica-a')
          },
          10_000,
        )
      }
    },
  },

  'retry-after-capped': {
    rules: ['RLAY-05'],
    title: "A backend's Retry-After is relayed as 60 seconds at the most",
    backend: { status: 503, headers: { 'retry-after': '99999999' } },
    operation: 'createChatCompletion',
    expect: { error: 'backend_unavailable', headers: { 'retry-after': '60' } },
    steps: [{}, { body: { stream: true } }],
  },

  'silent-backend': {
    rules: ['RLAY-05', 'RLAY-06', 'GEN-18'],
    title: 'A backend that does not answer within the time for its first byte is 502 backend_unavailable',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ firstByteMs }) => firstByteMs * 1.2,
    async run(context) {
      await context.script({ fault: { kind: 'silence' } })
      const { firstByteMs, pingMs } = context.target.limits
      const [whole, streamed] = await Promise.all([context.chat(), context.chat({ stream: true })])
      shows('RLAY-05')
      expectError(whole, 'backend_unavailable')
      shows('RLAY-06')
      assert.ok(whole.endMs >= firstByteMs * 0.9, `it was given up after ${whole.endMs} ms`)
      shows('RLAY-05')
      if (pingMs < firstByteMs) assert.equal(expectFailedStream(streamed).error.code, 'backend_unavailable')
      else expectError(streamed, 'backend_unavailable')
      shows('GEN-18')
      for (const exchange of [whole, streamed])
        expectSubset(recordIn(await context.record(generationIdOf(exchange))), freeRecord, 'the record')
    },
  },

  'stale-connections': {
    rules: ['RLAY-07'],
    title: 'A connection that the backend has closed meanwhile breaks no request',
    // Behind an external endpoint the connections to the backend are its gateway's.
    needs: ['generation', 'backendScript', 'endpoint:own'],
    // What others have just sent over such a connection would be lost with it.
    isExclusive: true,
    async run(context) {
      await context.script({ chunks: 2, closeAfter: true })
      for (let turn = 0; turn < 16; turn++) {
        const exchange = await context.chat({ stream: turn % 2 === 1 })
        if (turn % 2 === 1) expectStream(exchange)
        else expectChat(exchange)
        // Whoever asks again before the backend has closed sends into a connection that is still open.
        const received = await context.eventually('the backend has closed', async () => {
          const all = await context.received()
          return all.at(-1)?.outcome !== 'running' && all
        })
        assert.equal(received.length, turn + 1)
      }
    },
  },

  unreachable: {
    rules: ['RLAY-05'],
    title: 'A backend that nobody listens for answers 502 backend_unavailable',
    needs: ['generation', 'model:unreachable'],
    async run(context) {
      const model = context.model('unreachable')
      for (const stream of [false, true])
        expectError(await context.chat({ model, stream }), 'backend_unavailable')
    },
  },

  'useless-answers': {
    rules: ['STRM-18'],
    title: 'A 200 that is no answer is 502 backend_error, whole or streamed',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const body of uselessBodies) {
        await context.script({ body })
        for (const stream of [false, true]) {
          const exchange = await context.chat({ stream })
          try {
            assert.match(expectError(exchange, 'backend_error').message, new RegExp(untold))
          } catch (error) {
            if (error instanceof assert.AssertionError)
              error.message = `${body || 'nothing'}: ${error.message}`
            throw error
          }
        }
      }
    },
  },
} satisfies Topic

/** A backend that answers a status with words of its own, which nobody is told, whole or streamed. */
function failing(status: number, { rule, what, expect, headers }: Failure): DataDefinition {
  const error = { error: { message: 'canary of the backend', code: 'x' } }
  return {
    rules: [rule],
    title: `A backend's ${status} ${what}`,
    backend: { status, ...(headers && { headers }), error },
    operation: 'createChatCompletion',
    expect: { ...expect, message: '^(?!.*canary)' },
    steps: [{}, { body: { stream: true } }],
  }
}

/** What the backend that served calls the model. */
async function servedBy(context: Context): Promise<string> {
  expectStatus(await context.chat({ model: context.model('fragile') }), 200)
  const received = (await context.received()).at(-1)
  assert.ok(received, 'nothing reached a backend')
  return String((parsed(received.body) as { model?: unknown }).model)
}

/** What a client is told of a refusal: the code, and whether the backend's words are. */
function toldOf(exchange: Exchange): readonly [string, boolean] {
  const { code, message } = errorIn(toldLate(exchange) ?? objectOf(exchange))
  return [code, message.includes('Not so.')]
}

/** The bytes in base64, with one that begins no character in place of the question mark. */
function withBadByte(bytes: Buffer): string {
  bytes[bytes.indexOf('?')] = 0xff
  return bytes.toString('base64')
}
