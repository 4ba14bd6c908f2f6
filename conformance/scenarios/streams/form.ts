import { isObject } from '#base/object.ts'
import * as assert from '../../engine/assert.ts'
import { shows } from '../../engine/checks.ts'
import { expectStatus } from '../../engine/expect.ts'
import { eventsOf } from '../../engine/http/events.ts'
import { isEventStream } from '../../engine/http/exchange.ts'
import { parsed } from '../../engine/http/json.ts'
import { expectFailedStream, expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

const shapes = ['final', 'with-choices', 'merged', 'first', 'every', 'separate-write', 'null-until-end']

export default {
  chunks: {
    // What else a block of the stream says beside its data, such as a name, is left open.
    rules: ['STRM-08', 'EVT-01'],
    title: 'Each event of a chat is data and a chat.completion.chunk',
    needs: ['generation'],
    async run(context) {
      shows('STRM-08', 'EVT-01')
      const { events, chunks } = expectStream(await context.chat({ stream: true }))
      assert.ok(chunks.length > 0, 'there is no chunk')
      for (const { object } of chunks) assert.equal(object, 'chat.completion.chunk')
      const told = events.filter(({ data }) => data !== undefined && data !== '[DONE]')
      assert.equal(told.length, chunks.length)
    },
  },

  'content-type': {
    rules: ['STRM-01', 'EP-03'],
    title: 'A stream has the content type text/event-stream',
    needs: ['generation'],
    async run(context) {
      const exchange = await context.chat({ stream: true })
      expectStatus(exchange, 200)
      shows('EP-03')
      expectStream(exchange)
      shows('STRM-01')
      assert.ok(isEventStream(exchange), `the content type is ${exchange.headers['content-type']}`)
    },
  },

  done: {
    rules: ['STRM-04', 'EVT-05'],
    title: 'data: [DONE] ends a stream, and nothing follows it',
    needs: ['generation'],
    async run(context) {
      shows('STRM-04', 'EVT-05')
      const exchange = await context.chat({ stream: true })
      expectStream(exchange)
      assert.equal(exchange.ending, 'complete')
      const { events, rest } = eventsOf(exchange)
      assert.equal(events.at(-1)?.data, '[DONE]', 'something follows it')
      assert.equal(rest, '', 'something follows it')
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
      // That each event with data is a chunk, an error or [DONE] is what reads it.
      const { pings } = expectStream(exchange)
      for (const { text } of pings) assert.equal(text, ': ping')
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

  'no-event-field-in-failures': {
    rules: ['STRM-13'],
    title: 'A stream that fails has no event with another field than data',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
      shows()
      const { events } = expectFailedStream(await context.chat({ stream: true }))
      shows('STRM-13')
      for (const { fields, raw } of events) assert.deepEqual(fields, [], `an event has other fields: ${raw}`)
    },
  },

  'no-usage-unasked': {
    rules: ['STRM-09'],
    title: 'A client that did not ask for usage sees none',
    needs: ['generation'],
    async run(context) {
      for (const wish of [{}, { stream_options: { include_usage: false } }, { stream_options: {} }]) {
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
      shows()
      const { chunks } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      const [last, ...others] = chunks.toReversed()
      shows('STRM-03', 'REQ-05', 'EVT-02')
      assert.deepEqual(last?.choices, [], `the last chunk has choices: ${JSON.stringify(last?.choices)}`)
      assert.ok(last?.usage, 'the last chunk has no usage')
      shows('STRM-03')
      for (const { usage, choices } of others) {
        assert.ok(usage === undefined || usage === null, 'usage stands in another chunk as well')
        assert.equal(choices.length, 1)
      }
    },
  },

  'usage-chunk-always': {
    rules: ['MET-12', 'MET-13'],
    title: 'The usage chunk that a client asked for comes whatever the backend said of its usage',
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const usage of ['none', 'zero', 'malformed']) {
        shows()
        await context.script({ chunks: 3, usage })
        const stream = expectStream(
          await context.chat({ stream: true, stream_options: { include_usage: true } }),
        )
        shows(usage === 'zero' ? 'MET-12' : 'MET-13')
        // What else stands in that chunk is shown where nothing is odd about the backend's.
        const told = stream.chunks.at(-1)?.usage ?? stream.usage
        assert.ok(
          Number.isInteger(told?.completion_tokens),
          `the last chunk tells no usage where the backend's is ${usage}`,
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
        shows('STRM-03')
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
        shows('CHAT-04')
        assert.deepEqual([asked.usage?.prompt_tokens, asked.usage?.completion_tokens], [12, 34], usage)
        shows()
        const unasked = expectStream(await context.chat({ stream: true }))
        // One that the router did not ask for is nothing that it has to take out.
        const sent = parsed((await context.received()).at(-1)?.body)
        if (!isObject(sent.stream_options) || sent.stream_options.include_usage !== true) continue
        shows('STRM-09')
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
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      shows()
      for (const usage of shapes) {
        await context.script({ chunks: 5, usage, promptTokens: 12, completionTokens: 34 })
        expectStream(await context.chat({ stream: true }))
      }
      const { generations } = await context.debits()
      shows('MET-05')
      assert.equal(generations.length, shapes.length)
      for (const [index, generation] of generations.entries()) {
        const { prompt_tokens, completion_tokens, status } = generation
        shows()
        assert.equal(status, 'ok')
        shows('MET-05', 'CHAT-04')
        assert.deepEqual([prompt_tokens, completion_tokens], [12, 34], shapes[index])
      }
    },
  },
} satisfies Topic
