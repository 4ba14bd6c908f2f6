import { isObject } from '#base/object.ts'
import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { isEndpoint } from '../engine/evidence.ts'
import { expectChat, expectRecord, expectStatus, expectSubset, GENERATION_ID } from '../engine/expect.ts'
import { objectOf } from '../engine/http/exchange.ts'
import { expectStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

export default {
  'cost-is-debit': {
    rules: ['CHAT-06', 'MET-04'],
    title: 'usage.cost_micros is what was debited, as one ledger row',
    needs: ['workspace', 'debits'],
    async run(context) {
      const answer = expectChat(await context.chat())
      const { usage } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      const debits = (await context.debits()).rows.filter(({ generation_id: id }) => id !== null)
      shows('MET-04')
      assert.equal(debits.length, 2, `${debits.length} rows for two generations`)
      assert.equal(debits[0]?.generation_id, answer.id)
      shows('CHAT-06')
      assert.deepEqual(
        debits.map(({ amount_micros }) => amount_micros),
        [0 - answer.usage.cost_micros, 0 - Number(usage?.cost_micros)],
      )
    },
  },

  'digest-in-wire-form': {
    rules: ['CHAT-13'],
    title: 'usage.evidence_digest is null or a digest in wire form, in the record as well',
    needs: ['generation'],
    async run(context) {
      const { id, usage } = expectChat(await context.chat())
      for (const digest of [usage.evidence_digest, expectRecord(await context.record(id)).evidence_digest])
        if (digest !== null) assert.match(digest, /^sha256\/[A-Za-z0-9_-]{43}$/)
    },
  },

  endpoint: {
    rules: ['CHAT-07'],
    title: 'usage.endpoint is the endpoint of the router that served the request',
    needs: ['generation', 'endpoint:own'],
    async run(context) {
      const { usage } = expectChat(await context.chat())
      const { own = '' } = context.target.endpoints
      // By its name or by its hostname, as both are names of it (EVID-09).
      assert.ok(
        await isEndpoint(context, own, usage.endpoint),
        `it is said to be ${usage.endpoint}, not ${own}`,
      )
    },
  },

  'finish-reason': {
    rules: ['CHAT-01'],
    title: "The reason for an answer's end is the model's",
    needs: ['generation', 'backendScript'],
    async run(context) {
      for (const finishReason of ['length', 'content_filter']) {
        await context.script({ chunks: 2, finishReason })
        assert.equal(expectChat(await context.chat()).choices[0]?.finish_reason, finishReason)
        const { chunks } = expectStream(await context.chat({ stream: true }))
        const reasons = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
        assert.deepEqual(reasons, [finishReason])
      }
    },
  },

  id: {
    rules: ['CHAT-02'],
    title: 'The id of an answer is gen- and a ULID, another for each',
    needs: ['generation'],
    async run(context) {
      const ids = [expectChat(await context.chat()).id, expectChat(await context.chat()).id]
      for (const id of ids) assert.match(id, GENERATION_ID)
      assert.notEqual(ids[0], ids[1])
      const { chunks } = expectStream(await context.chat({ stream: true }))
      assert.equal(new Set(chunks.map(({ id }) => id)).size, 1, 'the chunks of one stream have several ids')
      assert.match(chunks[0]?.id ?? '', GENERATION_ID)
    },
  },

  model: {
    rules: ['CHAT-03'],
    title: "The model of an answer is the router's id, as the request named it",
    needs: ['generation'],
    async run(context) {
      assert.equal(expectChat(await context.chat()).model, context.model())
      const { chunks } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      for (const { model } of chunks) assert.equal(model, context.model())
    },
  },

  'same-text': {
    rules: ['SRV-08', 'EP-03'],
    title: 'A stream says the same as a whole answer',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({
        chunks: ['Grüße', ' aus', ' 東京', ' 🚀'],
        promptTokens: 5,
        completionTokens: 4,
      })
      shows('SRV-08', 'EP-03')
      const whole = expectChat(await context.chat())
      const { text } = expectStream(await context.chat({ stream: true }))
      assert.equal(whole.choices[0]?.message.content, 'Grüße aus 東京 🚀')
      assert.equal(text, whole.choices[0]?.message.content)
    },
  },

  shape: {
    rules: ['CHAT-01', 'EP-03'],
    title: "An answer that is not streamed is OpenAI's chat.completion object",
    needs: ['generation'],
    async run(context) {
      const exchange = await context.chat()
      shows('EP-03')
      expectStatus(exchange, 200)
      shows('CHAT-01')
      assert.equal(expectChat(exchange).object, 'chat.completion')
    },
  },

  'tool-calls': {
    rules: ['CHAT-01'],
    title: 'Tool calls come as the model makes them, whole and in pieces',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ toolCalls: [{ name: 'look', arguments: ['{"city":', '"Paris"}'] }] })
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
      const { message, finish_reason: reason } = expectChat(await context.chat({ tools })).choices[0] ?? {}
      const called = { name: 'look', arguments: '{"city":"Paris"}' }
      expectSubset(message?.tool_calls?.[0]?.function, called, 'the call')
      assert.equal(reason, 'tool_calls')
      const { chunks } = expectStream(await context.chat({ tools, stream: true }))
      const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
      assert.equal(pieces.map((piece) => piece.function?.arguments ?? '').join(''), '{"city":"Paris"}')
      assert.equal(pieces[0]?.function?.name, 'look')
    },
  },

  'usage-exact': {
    rules: ['CHAT-04'],
    title: 'usage is exact: it is what the model itself counted, whole or streamed',
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 7, promptTokens: 1_012, completionTokens: 567 })
      const counts = { prompt_tokens: 1_012, completion_tokens: 567, total_tokens: 1_579 }
      expectSubset(expectChat(await context.chat()).usage, counts, 'usage')
      const { usage } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      expectSubset(usage, counts, 'usage of a stream')
      const { generations } = await context.debits()
      for (const generation of generations) {
        expectSubset(generation, { prompt_tokens: 1_012, completion_tokens: 567 }, 'the record')
      }
      assert.equal(generations.length, 2)
    },
  },

  'usage-fields': {
    rules: ['CHAT-05', 'CHAT-12'],
    title: 'usage has three members more than that of OpenAI, and they stand in it',
    needs: ['generation'],
    async run(context) {
      const exchange = await context.chat()
      expectStatus(exchange, 200)
      const body = objectOf(exchange)
      shows('CHAT-12')
      for (const name of ['cost_micros', 'endpoint', 'evidence_digest'])
        assert.ok(!(name in body), `${name} stands beside usage`)
      shows('CHAT-05')
      assert.ok(isObject(body.usage), 'there is no usage')
      const { cost_micros: cost, endpoint, evidence_digest: digest } = body.usage
      assert.ok(Number.isInteger(cost), 'usage.cost_micros is no whole number')
      assert.ok(typeof endpoint === 'string' && endpoint !== '', 'usage.endpoint is no text')
      assert.ok(
        digest === null || typeof digest === 'string',
        'usage.evidence_digest is neither a text nor null',
      )
    },
  },

  'usage-in-stream': {
    rules: ['CHAT-05'],
    title: 'The last chunk of a stream has the same three members in its usage',
    needs: ['generation'],
    async run(context) {
      const { usage } = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      assert.ok(usage, 'there is no usage')
      assert.ok(Number.isInteger(usage.cost_micros))
      assert.equal(typeof usage.endpoint, 'string')
      assert.ok(usage.evidence_digest === null || typeof usage.evidence_digest === 'string')
    },
  },
} satisfies Topic
