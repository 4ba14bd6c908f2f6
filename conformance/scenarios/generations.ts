import type { OperationId } from '#contract/routes'
import { abortAfter, expectAborted } from '../engine/aborted.ts'
import * as assert from '../engine/assert.ts'
import { freeRecord } from '../engine/backend-refusals.ts'
import { shows } from '../engine/checks.ts'
import { debitsOf } from '../engine/debits.ts'
import {
  expectChat,
  expectError,
  expectRecord,
  expectStatus,
  expectSubset,
  generationIdOf,
  listedIn,
  recordIn,
  valuesIn,
} from '../engine/expect.ts'
import { textOf } from '../engine/http/exchange.ts'
import type { RequestOptions } from '../engine/requests.ts'
import {
  countPings,
  countTexts,
  expectBegun,
  expectDone,
  expectStream,
  readStream,
} from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'
import { inWireForm } from '../engine/universal/open.ts'

export default {
  'backend-away': {
    rules: ['GEN-18'],
    title: 'A backend that nobody listens for leaves an aborted record of zero tokens, and a debit of zero',
    operation: 'createChatCompletion',
    expect: { error: 'backend_unavailable', record: freeRecord, debitMicros: 0 },
    steps: [
      { body: { model: '{{model.unreachable}}' } },
      { body: { model: '{{model.unreachable}}', stream: true } },
    ],
  },

  'backend-failure': {
    rules: ['GEN-18', 'HDR-10'],
    title:
      'A backend that fails before any token leaves an aborted record of zero tokens, and a debit of zero',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      const cut = { chunks: 8, fault: { kind: 'cut', afterChunks: 5 } }
      const failures = [
        ...[{ status: 500 }, { status: 503 }, { fault: { kind: 'refuse' } }].map(
          (script) => [script, 'backend_unavailable', [false, true]] as const,
        ),
        [{ body: '<!doctype html>' }, 'backend_error', [false, true]] as const,
        [{ status: 401 }, 'backend_error', [false, true]] as const,
        // Of a stream the five would have been delivered.
        [cut, 'backend_unavailable', [false]] as const,
      ]
      for (const [script, code, streams] of failures) {
        await context.script(script)
        for (const stream of streams) {
          const exchange = await context.chat({ stream })
          shows()
          expectError(exchange, code)
          shows('HDR-10')
          generationIdOf(exchange)
          shows('GEN-18')
          expectSubset(await expectAborted(context, exchange), freeRecord, `the record of ${code}`)
        }
      }
      const { entries } = await context.books()
      const debits = entries.filter(({ kind }) => kind === 'generation')
      assert.deepEqual(
        debits.map(({ amount_micros }) => amount_micros),
        debits.map(() => 0),
      )
      assert.equal(debits.length, failures.flatMap(([, , streams]) => streams).length)
    },
  },

  'backend-let-go': {
    rules: ['GEN-24'],
    title: 'The backend of a left stream is let go at once',
    needs: ['generation', 'backendScript'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 2_000, betweenChunksMs: 20 })
      await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 2)
      const { chunksSent } = await context.eventually('the backend is let go', async () => {
        const [received] = await context.received()
        return received?.outcome === 'client-left' && received
      })
      assert.ok(chunksSent < 500, `the backend had written ${chunksSent} pieces by then`)
    },
  },

  'closed-after-done': {
    rules: ['GEN-17', 'GEN-25', 'STRM-07'],
    title: 'Whoever closes right after reading [DONE] has an ok record',
    needs: ['generation'],
    // Whether the end of the answer is seen before it is left is chance.
    isCompared: false,
    async run(context) {
      const call = await context.stream()
      await expectDone(call)
      call.abort()
      const id = generationIdOf(call.exchange)
      const status = await context.eventually('the record', async () => {
        const exchange = await context.record(id)
        return exchange.status === 200 && recordIn(exchange).status
      })
      shows('GEN-17', 'GEN-25', 'STRM-07')
      assert.equal(status, 'ok')
    },
  },

  fields: {
    rules: ['GEN-04', 'GEN-05'],
    title: 'A record holds tokens, cost, model, endpoint, timings, digest and its status',
    needs: ['generation'],
    async run(context) {
      const { id, usage } = expectChat(await context.chat())
      const record = recordIn(await context.record(id))
      const listed = listedIn(await context.request('listModels')).find(
        (entry) => entry.id === context.model(),
      )
      shows('GEN-05')
      assert.ok(record.status === 'ok' || record.status === 'aborted', `the status is ${record.status}`)
      shows('GEN-04')
      // What its members are called, how deep they stand and how a number is written is left open.
      const values = valuesIn(record).map(String)
      for (const count of [usage.prompt_tokens, usage.completion_tokens, usage.cost_micros]) {
        assert.ok(values.includes(String(count)), `the record does not hold ${count}`)
      }
      assert.ok(values.includes(context.model()), `the record does not hold ${context.model()}`)
      // Whether usage names the right one is shown elsewhere: any name that the router has for an endpoint will do.
      const names = [
        usage.endpoint,
        ...Object.values(context.target.endpoints),
        ...valuesIn(listed?.endpoint),
      ]
      assert.ok(
        names.some((name) => typeof name === 'string' && values.includes(name)),
        `the record holds no endpoint, such as ${usage.endpoint}`,
      )
      if (usage.evidence_digest !== null)
        assert.equal(inWireForm(record.evidence_digest), inWireForm(usage.evidence_digest))
    },
  },

  'finish-reason': {
    rules: ['GEN-19'],
    title: 'The record tells why the answer ended, as the backend told it',
    operation: 'createChatCompletion',
    steps: ['length', 'stop'].map((finishReason) => ({
      backend: { chunks: 3, finishReason },
      expect: { record: { finish_reason: finishReason } },
    })),
  },

  'left-answer': {
    rules: ['GEN-24'],
    title:
      'A client that leaves a request without a stream cancels the backend: aborted, the prompt counted, no completion',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 5, beforeHeadersMs: 5_000 })
      const call = await context.open('createChatCompletion')
      shows()
      await context.eventually(
        'the request reaches the backend',
        async () => (await context.received()).length > 0,
      )
      shows('GEN-24')
      call.abort()
      await context.eventually(
        'the backend is let go',
        async () => (await context.received()).at(-1)?.outcome === 'client-left',
      )
      const generation = await context.eventually(
        'the record',
        async () => (await context.books()).generations[0],
      )
      assert.equal(generation.status, 'aborted')
      assert.ok(generation.prompt_tokens > 0, 'the prompt was not counted')
      assert.equal(generation.completion_tokens, 0)
    },
  },

  'left-before-first-token': {
    rules: ['GEN-03', 'GEN-11'],
    title: 'A stream left before its first token is one aborted record without completion tokens',
    needs: ['workspace', 'debits', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 2,
    async run(context) {
      const { pingMs } = context.target.limits
      await context.script({ chunks: 5, beforeFirstChunkMs: pingMs * 8 })
      const seen = await abortAfter(await context.stream(), (soFar) => countPings(soFar) >= 1)
      shows('GEN-03', 'GEN-11')
      const record = await expectAborted(context, seen)
      shows('GEN-03')
      assert.equal(record.completion_tokens, 0)
      assert.equal((await context.debits()).generations.length, 1)
    },
  },

  'left-stream': {
    rules: ['GEN-11'],
    title: 'A client that leaves a stream before [DONE] makes the generation aborted',
    needs: ['generation', 'backendScript'],
    // How often the record is asked for before it is there is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 20 })
      shows()
      const seen = await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 3)
      const id = generationIdOf(seen)
      const status = await context.eventually('the record', async () => {
        const exchange = await context.record(id)
        return exchange.status === 200 && recordIn(exchange).status
      })
      shows('GEN-11')
      assert.equal(status, 'aborted')
    },
  },

  'left-stream-counted': {
    rules: ['GEN-03', 'GEN-12', 'GEN-13'],
    title: 'The record of a left stream holds the tokens counted until then, and they are debited',
    needs: ['workspace', 'debits', 'backendScript'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 20 })
      const seen = await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 5)
      shows('GEN-03')
      const record = await expectAborted(context, seen)
      shows('GEN-12')
      assert.ok(record.completion_tokens > 0, 'none of the tokens that came were counted')
      assert.ok(
        record.completion_tokens < 200,
        `${record.completion_tokens} tokens were counted of a stream left after 5`,
      )
      assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
      const debits = debitsOf(await context.debits(), record.id)
      shows('GEN-13')
      assert.ok(record.cost_micros > 0, 'it cost nothing')
      assert.deepEqual(debits, [record.cost_micros])
    },
  },

  'left-stream-told-early': {
    rules: ['GEN-12', 'GEN-13'],
    title: 'A left stream is not billed by a usage that its backend told before what was still to come',
    needs: ['workspace', 'debits', 'backendScript'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 20, usage: 'first' })
      shows()
      const seen = await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 5)
      const record = await expectAborted(context, seen)
      shows('GEN-12')
      assert.ok(
        record.completion_tokens > 0 && record.completion_tokens < 200,
        `${record.completion_tokens} tokens were counted of a stream left after 5 of 400`,
      )
      const debits = debitsOf(await context.debits(), record.id)
      shows('GEN-13')
      assert.deepEqual(debits, [record.cost_micros])
    },
  },

  'named-fields': {
    rules: ['GEN-19', 'GEN-20', 'GEN-21', 'MET-11', 'WSP-09', 'WSP-07'],
    title: 'A record is wrapped as data and has every member by its name',
    needs: ['generation'],
    async run(context) {
      shows()
      const { id, usage } = expectChat(await context.chat())
      shows('GEN-19')
      const record = expectRecord(await context.record(id))
      expectSubset(
        record,
        {
          id,
          model: context.model(),
          operation: 'chat',
          streamed: false,
          finish_reason: 'stop',
        },
        'the record',
      )
      assert.ok(Math.abs(Date.parse(record.created_at) - Date.now()) < 60_000, 'created_at is not now')
      shows('GEN-20')
      expectSubset(
        record,
        {
          prompt_tokens: usage.prompt_tokens,
          completion_tokens: usage.completion_tokens,
          total_tokens: usage.total_tokens,
          cost_micros: usage.cost_micros,
        },
        'the record',
      )
      assert.ok(record.latency_ms > 0)
      shows('MET-11')
      assert.equal(record.usage_source, 'backend')
      shows('GEN-21')
      assert.equal(record.ledger.amount_micros, 0 - usage.cost_micros)
      shows('WSP-09')
      assert.match(record.ledger.id, /^led_[0-9A-HJKMNP-TV-Z]{26}$/)
      shows('WSP-07')
      assert.ok(Number.isInteger(record.cost_micros) && Number.isInteger(record.ledger.amount_micros))
    },
  },

  'no-content': {
    rules: ['GEN-06', 'EP-15', 'SRV-15'],
    title: 'Nothing that was said is part of a record',
    needs: ['generation', 'backendScript'],
    async run(context) {
      // A word alone may get where a sentence does not.
      const words = ['first', 'last'].map((place) => place + context.random.word(12).replace(/[^a-z]/gi, 'x'))
      await context.script({ chunks: [words[0], ' and ', words[1]] })
      const body = { user: `user-${context.nonce}` }
      const ids = [
        expectChat(await context.chat(body)).id,
        expectStream(await context.chat({ ...body, stream: true })).chunks[0]?.id ?? '',
      ]
      for (const id of ids) {
        const exchange = await context.record(id)
        recordIn(exchange)
        const record = textOf(exchange)
        shows('GEN-06', 'EP-15', 'SRV-15')
        assert.ok(!record.includes(context.nonce), 'the record holds text of the request')
        for (const word of words) assert.ok(!record.includes(word), 'the record holds a word of the answer')
        shows()
      }
    },
  },

  timings: {
    rules: ['GEN-04'],
    title: 'A record tells how long its generation took, in whatever unit',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const tookMs = 400
      await context.script({ chunks: 3, beforeFirstChunkMs: tookMs })
      const since = Date.now()
      const { id } = expectChat(await context.chat())
      const mostMs = Date.now() - since
      const numbers = numbersIn(recordIn(await context.record(id)))
      const isTime = (value: number) => value >= tookMs && value <= mostMs
      assert.ok(
        numbers.some((value) => isTime(value) || isTime(value * 1_000)),
        `no number of the record is a time from ${tookMs} to ${mostMs} ms`,
      )
    },
  },

  'odd-ids': {
    rules: ['GEN-23'],
    title:
      'An id that no generation can have is a 404 not_found like any unknown one, whatever it is made of',
    needs: ['key'],
    async run(context) {
      const ids = [
        'x',
        'gen-',
        'gen-01ARZ3NDEKTSV4RRFFQ69G5FAVX',
        "' or 1=1 --",
        '\u0000',
        'gen-01ARZ3NDEKTSV4RRFFQ69G5FA\u0000',
        'ü'.repeat(500),
      ]
      for (const id of ids)
        expectError(await context.request('getGeneration', { query: { id } }), 'not_found')
    },
  },

  'of-workspace': {
    rules: ['WSP-03'],
    title: 'Generations belong to a workspace, whichever of its keys made them',
    needs: ['workspace', 'debits'],
    async run(context) {
      const first = await context.own()
      const second = await context.accounts.addKey(first)
      shows()
      const { id } = expectChat(await context.chat({}, { account: second }))
      recordIn(await context.record(id, second))
      shows('WSP-03')
      expectStatus(await context.record(id, first), 200)
      assert.deepEqual(
        (await context.debits()).generations.map((generation) => generation.id),
        [id],
      )
    },
  },

  'ok-at-done': {
    rules: ['GEN-09', 'STRM-07'],
    title: 'A streamed generation is ok once its [DONE] was sent',
    needs: ['generation'],
    async run(context) {
      shows()
      const { chunks } = expectStream(await context.chat({ stream: true }))
      shows('GEN-09', 'STRM-07')
      assert.equal(recordIn(await context.record(chunks[0]?.id ?? '')).status, 'ok')
    },
  },

  'ok-when-whole': {
    rules: ['GEN-08'],
    title: 'A generation without a stream is ok once its response is finished',
    needs: ['generation'],
    async run(context) {
      const { id } = expectChat(await context.chat())
      assert.equal(recordIn(await context.record(id)).status, 'ok')
    },
  },

  'one-record': {
    rules: ['SRV-10', 'SRV-11', 'GEN-10', 'EVT-06', 'WSP-05'],
    title: 'An accepted request leaves one record and one debit, whole or streamed',
    needs: ['workspace', 'debits'],
    async run(context) {
      shows()
      const ids = [
        expectChat(await context.chat({ max_tokens: 7 })).id,
        expectStream(await context.chat({ stream: true, max_tokens: 7 })).chunks[0]?.id,
      ]
      const { generations, rows } = await context.debits()
      shows('SRV-10', 'GEN-10', 'EVT-06')
      assert.deepEqual(
        generations.map(({ id }) => id),
        ids,
      )
      const debits = rows.flatMap(({ generation_id: id }) => id ?? [])
      shows('SRV-11', 'GEN-10', 'EVT-06', 'WSP-05')
      assert.deepEqual(debits, ids)
    },
  },

  'other-workspace': {
    rules: ['GEN-07', 'EP-14'],
    title: 'A record is read by the keys of its own workspace and by no other',
    needs: ['workspace'],
    async run(context) {
      const { id } = expectChat(await context.chat())
      const own = await context.own()
      recordIn(await context.record(id))
      shows('GEN-07')
      expectStatus(await context.record(id, await context.accounts.addKey(own)), 200)
      shows('GEN-07', 'EP-14')
      const account = await context.accounts.open()
      const refused = await context.request('getGeneration', { query: { id }, account })
      assert.ok(refused.status >= 400, `another workspace is answered ${refused.status}`)
    },
  },

  'readable-at-once': {
    rules: ['GEN-22', 'CRED-32', 'CRED-34'],
    title: 'The record can be read the moment the end of an answer has been seen, and the debit stands',
    needs: ['workspace', 'books'],
    async run(context) {
      const read = async (id = '') => {
        const exchange = await context.request('getGeneration', { query: { id } })
        // One that cannot be read later either tells nothing of the time.
        if (exchange.status !== 200) recordIn(await context.record(id))
        expectStatus(exchange, 200)
        return expectRecord(exchange)
      }
      for (let turn = 0; turn < 4; turn++) {
        shows()
        const whole = expectChat(await context.chat())
        shows('GEN-22')
        await read(whole.id)
        shows()
        const call = await context.stream({ stream_options: { include_usage: true } })
        await expectDone(call)
        const { chunks } = readStream(call.exchange)
        shows('GEN-22')
        const record = await read(chunks[0]?.id)
        shows('CRED-34')
        assert.equal(record.status, 'ok')
        shows('CRED-32')
        const { entries } = await context.books()
        assert.equal(entries.at(-1)?.reference, record.id)
      }
    },
  },

  'refusals-leave-nothing': {
    rules: ['CRED-04', 'HDR-10'],
    title:
      'A refused request has no generation id and leaves nothing: no record, no debit, no hold, nothing sent',
    needs: ['workspace', 'books', 'backendScript', 'model:other'],
    async run(context) {
      const account = await context.own({ scope: ['chat'] })
      expectStatus(await context.request('listModels'), 200)
      const asks = [
        () => context.chat({}, { key: null }),
        () => context.chat({}, { text: '{' }),
        () => context.chat({}, { omit: ['messages'] }),
        () => context.chat({ model: 'absent' }),
        () => context.chat({ model: context.model('other') }),
        () => context.chat({ n: 2 }),
        async () =>
          context.chat({}, { account: await context.accounts.addKey(account, { spendLimitMicros: 0 }) }),
        async () =>
          context.chat({}, { account: await context.accounts.addKey(account, { isRevoked: true }) }),
      ]
      for (const ask of asks) {
        const { status, headers } = await ask()
        shows()
        assert.ok(status >= 400 && status < 500, `${status} is no refusal`)
        shows('HDR-10')
        assert.equal(headers['x-router-generation-id'], undefined, 'a refusal names a generation')
      }
      shows('CRED-04')
      const books = await context.books()
      assert.deepEqual([books.generations, books.holds], [[], []])
      assert.ok(books.entries.every(({ kind }) => kind !== 'generation'))
      assert.deepEqual(await context.received(), [])
    },
  },

  'refusals-elsewhere-leave-nothing': {
    rules: ['CRED-04', 'HDR-10'],
    title: 'A body that is too large and a refused text or embedding leave nothing either, and are not sent',
    needs: [
      'workspace',
      'books',
      'backendScript',
      'model:completions',
      'feature:embeddings',
      'model:embeddings',
    ],
    // A megabyte a second, for targets with a large limit.
    waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
    async run(context) {
      const [chat, writer, embedder] = (['chat', 'completions', 'embeddings'] as const).map((name) =>
        context.model(name),
      )
      const poor = await context.accounts.open({ balanceMicros: 0 })
      expectStatus(await context.request('listModels'), 200)
      const refused: readonly (readonly [OperationId, object, RequestOptions?])[] = [
        ['createChatCompletion', { padding: 'x'.repeat(context.target.limits.maxBodyBytes) }],
        ['createChatCompletion', { model: embedder }],
        ['createCompletion', { model: embedder }],
        ['createEmbedding', { model: chat }],
        ['createEmbedding', { model: writer }],
        ['createCompletion', { prompt: '' }],
        ['createCompletion', { prompt: [[1], 2] }],
        ['createCompletion', { best_of: 2 }],
        ['createEmbedding', { input: [] }],
        ['createEmbedding', { input: [{}] }],
        ['createEmbedding', { stream: true }],
        ['createCompletion', {}, { account: poor }],
        ['createEmbedding', {}, { account: poor }],
      ]
      for (const [operation, fields, options] of refused) {
        const body = { user: context.prompt, ...fields }
        const { status, headers } = await context.request(operation, { body, ...options })
        shows()
        assert.ok(status >= 400 && status < 500, `${status} is no refusal`)
        shows('HDR-10')
        assert.equal(headers['x-router-generation-id'], undefined, 'a refusal names a generation')
      }
      shows('CRED-04')
      for (const account of [await context.own(), poor]) {
        const { generations, holds, entries } = await context.books(account)
        assert.deepEqual([generations, holds], [[], []])
        assert.ok(entries.every(({ kind }) => kind !== 'generation'))
      }
      assert.deepEqual(await context.received(), [])
    },
  },

  'streamed-fields': {
    rules: ['GEN-20'],
    title: 'The record of a stream times its first token and tells its speed',
    needs: ['generation', 'backendScript'],
    waitsMs: () => 1_500,
    async run(context) {
      await context.script({ chunks: 10, beforeFirstChunkMs: 60, betweenChunksMs: 150 })
      const { chunks } = expectStream(await context.chat({ stream: true }))
      const record = expectRecord(await context.record(chunks[0]?.id ?? ''))
      assert.equal(record.streamed, true)
      const firstMs = record.time_to_first_token_ms ?? 0
      assert.ok(firstMs >= 55, `the first token is said to have come after ${firstMs} ms`)
      // Of the 1,350 ms in between a busy machine may have told the first late.
      assert.ok(record.latency_ms >= firstMs + 100, `the whole is said to have taken ${record.latency_ms} ms`)
      const speed = record.tokens_per_second ?? 0
      assert.ok(speed > 0 && speed < 100, `the speed is said to be ${speed} tokens a second`)
    },
  },

  'unknown-alike': {
    rules: ['GEN-23'],
    title: 'Another workspace, an unknown id and a running generation are the same 404 not_found',
    needs: ['workspace', 'backendScript'],
    async run(context) {
      const foreign = await context.accounts.open()
      const { id } = expectChat(await context.chat({}, { account: foreign }))
      await context.script({ chunks: 50, fault: { kind: 'stall', afterChunks: 2 } })
      const call = await context.stream()
      await expectBegun(call, 2)
      const answers = []
      for (const one of [id, 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV', generationIdOf(call.exchange), 'nonsense']) {
        const exchange = await context.request('getGeneration', { query: { id: one } })
        expectError(exchange, 'not_found')
        answers.push(textOf(exchange))
      }
      assert.equal(new Set(answers).size, 1, 'the answers can be told apart')
      call.abort()
    },
  },
} satisfies Topic

/** All numbers of a record, however deep they stand: how it is laid out is left open. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
