import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

const shapes = ['final', 'with-choices', 'merged', 'first', 'every', 'separate-write', 'null-until-end']

export default {
  chunks: {
    rules: ['STRM-08', 'EVT-01'],
    title: 'Each event of a chat is data and a chat.completion.chunk',
    needs: ['generation'],
    async run(context) {
      const { events, chunks } = expectStream(await context.chat({ stream: true }))
      for (const { data, comments } of events)
        assert.ok(data !== undefined || comments.length > 0, 'an event has neither')
      for (const { object } of chunks) assert.equal(object, 'chat.completion.chunk')
      assert.equal(events.filter(({ data }) => data !== undefined).length, chunks.length + 1)
    },
  },

  'content-type': {
    rules: ['STRM-01', 'EP-03'],
    title: 'A stream has the content type text/event-stream',
    needs: ['generation'],
    async run(context) {
      const exchange = await context.chat({ stream: true })
      expectStatus(exchange, 200)
      assert.match(exchange.headers['content-type'] ?? '', /^text\/event-stream\b/)
      expectStream(exchange)
    },
  },

  done: {
    rules: ['STRM-04', 'EVT-05'],
    title: 'data: [DONE] ends a stream, and nothing follows it',
    needs: ['generation'],
    async run(context) {
      const exchange = await context.chat({ stream: true })
      expectStream(exchange)
      assert.equal(exchange.ending, 'complete')
      assert.match(textOf(exchange), /\n\ndata: ?\[DONE\]\r?\n\r?\n$/)
    },
  },

  headers: {
    rules: ['STRM-23'],
    title: 'A stream says that nothing on its way may keep, alter or hold it back',
    steps: [
      {
        operation: 'createChatCompletion',
        body: { stream: true },
        expect: {
          stream: true,
          headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
        },
      },
    ],
  },

  kinds: {
    rules: ['EVT-07'],
    title: 'A stream is made of chunks, the usage chunk, pings, an error and [DONE], and of nothing else',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 2,
    async run(context) {
      await context.script({ chunks: 3, beforeFirstChunkMs: context.target.limits.pingMs * 1.5 })
      const exchange = await context.chat({ stream: true, stream_options: { include_usage: true } })
      const { events } = expectStream(exchange)
      for (const { data, comments, fields, raw } of events) {
        assert.deepEqual(fields, [], `an event has other fields: ${raw}`)
        if (data === undefined) assert.deepEqual(comments, [': ping'])
        else assert.deepEqual(comments, [], `a comment stands in an event: ${raw}`)
      }
    },
  },

  'no-event-field': {
    rules: ['STRM-13'],
    title: 'No event has an event field, and none has empty data',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: ['', 'a', '', 'b'] })
      for (const options of [{}, { stream_options: { include_usage: true } }]) {
        const { events } = expectStream(await context.chat({ stream: true, ...options }))
        for (const { fields, data, raw } of events) {
          assert.ok(!fields.includes('event'), `an event has a name: ${raw}`)
          assert.notEqual(data?.trim(), '', 'an event has empty data')
        }
      }
    },
  },

  'no-usage-unasked': {
    rules: ['STRM-09'],
    title: 'A client that did not ask for usage sees none',
    needs: ['generation'],
    async run(context) {
      for (const wish of [
        {},
        { stream_options: { include_usage: false } },
        { stream_options: null },
        { stream_options: {} },
      ]) {
        const { chunks } = expectStream(await context.chat({ stream: true, ...wish }))
        for (const { usage, choices } of chunks) {
          assert.ok(usage === undefined || usage === null, `usage was shown for ${JSON.stringify(wish)}`)
          assert.equal(choices.length, 1, `a chunk without choices was sent for ${JSON.stringify(wish)}`)
        }
      }
    },
  },

  uncompressed: {
    rules: ['STRM-24'],
    title: 'A stream is never compressed, whatever the client accepts',
    steps: [
      {
        operation: 'createChatCompletion',
        headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
        body: { stream: true },
        expect: { stream: true, headers: { 'content-encoding': { $absent: true } } },
      },
    ],
  },

  'usage-chunk': {
    rules: ['STRM-03', 'REQ-05', 'EVT-02'],
    title: 'With include_usage one more chunk comes before the end, with usage and without choices',
    needs: ['generation'],
    async run(context) {
      const { chunks } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      const [last, ...others] = chunks.toReversed()
      assert.deepEqual(last?.choices, [])
      assert.ok(last?.usage, 'the last chunk has no usage')
      for (const { usage, choices } of others) {
        assert.ok(usage === undefined || usage === null, 'usage stands in another chunk as well')
        assert.equal(choices.length, 1)
      }
    },
  },

  'usage-chunk-always': {
    rules: ['STRM-03', 'REQ-05'],
    title: 'The usage chunk that a client asked for comes whatever the backend said of its usage',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const usage of ['none', 'zero', 'malformed']) {
        await context.script({ chunks: 3, usage })
        const stream = expectStream(
          await context.chat({ stream: true, stream_options: { include_usage: true } }),
        )
        const last = stream.chunks.at(-1)
        assert.deepEqual(last?.choices, [], `no usage chunk came where the backend's usage is ${usage}`)
        assert.ok(
          Number.isInteger(last?.usage?.completion_tokens),
          `it tells no usage where the backend's is ${usage}`,
        )
      }
    },
  },

  'usage-shapes': {
    rules: ['STRM-03', 'STRM-09', 'CHAT-04'],
    title: 'Wherever a backend puts its usage, the client sees one usage chunk if it asked and none if not',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const usage of shapes) {
        await context.script({ chunks: 5, usage, promptTokens: 12, completionTokens: 34 })
        const asked = expectStream(
          await context.chat({ stream: true, stream_options: { include_usage: true } }),
        )
        const counted = asked.chunks.filter((chunk) => chunk.usage)
        assert.equal(
          counted.length,
          1,
          `${counted.length} chunks tell the usage where the backend's is ${usage}`,
        )
        assert.deepEqual(
          counted[0]?.choices,
          [],
          `the usage chunk has choices where the backend's usage is ${usage}`,
        )
        assert.deepEqual([asked.usage?.prompt_tokens, asked.usage?.completion_tokens], [12, 34], usage)
        const unasked = expectStream(await context.chat({ stream: true }))
        assert.ok(
          unasked.chunks.every((chunk) => !chunk.usage && chunk.choices.length === 1),
          `usage is shown unasked where the backend's is ${usage}`,
        )
        assert.equal(unasked.text, asked.text, usage)
      }
    },
  },

  'usage-shapes-metered': {
    rules: ['MET-05', 'CHAT-04'],
    title: 'Wherever a backend puts its usage, the record has the same counts',
    needs: ['workspace', 'ledger', 'backendScript'],
    async run(context) {
      for (const usage of shapes) {
        await context.script({ chunks: 5, usage, promptTokens: 12, completionTokens: 34 })
        expectStream(await context.chat({ stream: true }))
      }
      const { generations } = await context.books()
      assert.equal(generations.length, shapes.length)
      for (const [index, generation] of generations.entries()) {
        const { prompt_tokens, completion_tokens, status } = generation
        assert.deepEqual([status, prompt_tokens, completion_tokens], ['ok', 12, 34], shapes[index])
      }
    },
  },
} satisfies Topic
