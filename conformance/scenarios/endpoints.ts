import { isObject } from '#base/object.ts'
import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { expectChat, expectError, expectStatus, generationIdOf, listedIn } from '../engine/expect.ts'
import { objectOf } from '../engine/http/exchange.ts'
import { expectStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

export default {
  'accept-json-for-streams': {
    rules: ['STRM-01'],
    title: 'A client that accepts JSON alone is given the stream it asks for',
    steps: [
      {
        operation: 'createChatCompletion',
        headers: { accept: 'application/json' },
        body: { stream: true },
        expect: { stream: true },
      },
    ],
  },

  'base-address': {
    rules: ['SRV-02', 'EP-01'],
    title: 'Every path lies under the base address and its /v1',
    needs: ['key'],
    // What else is to be had beside it, by another site or under another name, is left open.
    shows: ['SRV-02', 'EP-01'],
    steps: [
      { operation: 'listModels', expect: { body: { data: { $type: 'array' } } } },
      {
        operation: 'getModel',
        params: { id: '{{model.chat}}' },
        expect: { body: { id: { $type: 'string' } } },
      },
    ],
  },

  chat: {
    rules: ['EP-02', 'EP-03', 'SRV-09'],
    title: 'POST /chat/completions asks for a key, answers a chat, whole or streamed, and meters it',
    needs: ['generation'],
    async run(context) {
      shows('EP-02')
      expectError(await context.chat({}, { key: null }), 'invalid_api_key')
      shows('EP-03')
      const whole = await context.chat()
      assert.equal(expectChat(whole).object, 'chat.completion')
      const streamed = await context.chat({ stream: true })
      expectStream(streamed)
      shows()
      const records = []
      for (const exchange of [whole, streamed]) records.push(await context.record(generationIdOf(exchange)))
      assert.ok(
        records.some(({ status }) => status === 200),
        'no record can be read',
      )
      shows('SRV-09')
      for (const record of records) expectStatus(record, 200)
    },
  },

  generation: {
    rules: ['EP-13', 'GEN-01', 'GEN-02'],
    title: 'GET /generation asks for a key and answers the record of a generation that has ended',
    needs: ['generation'],
    async run(context) {
      const answer = await context.chat()
      const id = generationIdOf(answer)
      expectStatus(answer, 200)
      shows('EP-13')
      expectError(await context.request('getGeneration', { query: { id }, key: null }), 'invalid_api_key')
      shows('EP-13', 'GEN-01', 'GEN-02')
      expectStatus(await context.record(id), 200)
    },
  },

  model: {
    rules: ['EP-07'],
    title: 'GET /models/{id} asks for a key and answers one model of the list',
    needs: ['key'],
    async run(context) {
      const params = { id: context.model() }
      expectError(await context.request('getModel', { params, key: null }), 'invalid_api_key')
      const entry = listedIn(await context.request('listModels')).find(({ id }) => id === context.model())
      assert.ok(entry, `the model ${context.model()} is not listed`)
      const single = await context.request('getModel', { params })
      expectStatus(single, 200)
      // Either may tell more than the other.
      const { id, context_length: window } = objectOf(single)
      assert.deepEqual([id, window], [entry.id, entry.context_length])
    },
  },

  models: {
    rules: ['EP-04', 'EP-05', 'MODL-05', 'MODL-06'],
    title: 'GET /models asks for a key and answers the list of OpenAI with the extension fields',
    needs: ['key'],
    async run(context) {
      shows('EP-04')
      expectError(await context.request('listModels', { key: null }), 'invalid_api_key')
      const exchange = await context.request('listModels')
      expectStatus(exchange, 200)
      shows('EP-05')
      const { object, data } = objectOf(exchange)
      assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
      // OpenAI's own list has none of the extension fields.
      shows('MODL-05')
      assert.equal(object, 'list')
      for (const entry of data) {
        assert.ok(isObject(entry), 'an entry is no object')
        assert.equal(typeof entry.id, 'string')
      }
      shows('MODL-06', 'EP-05')
      for (const entry of data) {
        // Of an endpoint nothing but a label is said, which need not be there.
        for (const name of ['context_length', 'pricing'])
          assert.ok(name in entry, `${entry.id} has no ${name}`)
      }
    },
  },

  'openai-api': {
    rules: ['SRV-19'],
    title: 'A client of OpenAI is served and pays from credit paid before',
    needs: ['workspace', 'debits'],
    async run(context) {
      await context.own({ balanceMicros: 1_000_000 })
      const { usage } = expectChat(await context.chat({ max_tokens: 19 }))
      const { balance_micros: balance } = await context.debits()
      assert.ok(usage.cost_micros > 0, 'it cost nothing')
      assert.equal(balance, 1_000_000 - usage.cost_micros)
    },
  },

  'version-by-path': {
    rules: ['VERS-05'],
    title: 'A version is chosen by the path and by nothing else',
    needs: ['key'],
    steps: [
      {
        name: 'headers ask for another',
        operation: 'listModels',
        headers: {
          accept: 'application/vnd.openai+json;version=2',
          'openai-version': '2030-01-01',
          'api-version': '2',
        },
        expect: { body: { data: { $type: 'array' } } },
      },
      {
        name: 'the query asks for another',
        operation: 'listModels',
        query: { 'api-version': '2030-01-01', version: '2' },
        expect: { body: { data: { $type: 'array' } } },
      },
      { name: 'no version in the path', method: 'GET', path: '//models', expect: { status: 404 } },
      { name: 'another path', method: 'GET', path: '//v2/models', expect: { status: 404 } },
    ],
  },
} satisfies Topic
