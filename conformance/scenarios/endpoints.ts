import assert from 'node:assert/strict'
import { isObject } from '#base/object.ts'
import { expectChat, expectError, expectStatus, generationIdOf, recordIn } from '../engine/expect.ts'
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
    title: 'Every path lies under the base address and its /v1, and nowhere else',
    needs: ['key'],
    steps: [
      { name: 'under it', operation: 'listModels' },
      { name: 'without the prefix', method: 'GET', path: '//models', expect: { error: 'not_found' } },
      { name: 'with the prefix twice', method: 'GET', path: '/v1/models', expect: { error: 'not_found' } },
    ],
  },

  chat: {
    rules: ['EP-02', 'EP-03', 'SRV-09'],
    title: 'POST /chat/completions asks for a key and answers a chat, whole or streamed',
    needs: ['generation'],
    async run(context) {
      expectError(await context.chat({}, { key: null }), 'invalid_api_key')
      assert.equal(expectChat(await context.chat()).object, 'chat.completion')
      const { chunks } = expectStream(await context.chat({ stream: true }))
      assert.equal(chunks[0]?.object, 'chat.completion.chunk')
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
      expectError(await context.request('getGeneration', { query: { id }, key: null }), 'invalid_api_key')
      assert.equal(recordIn(await context.record(id)).id, id)
    },
  },

  model: {
    rules: ['EP-07'],
    title: 'GET /models/{id} asks for a key and answers the entry of the list',
    needs: ['key'],
    async run(context) {
      const params = { id: context.model() }
      expectError(await context.request('getModel', { params, key: null }), 'invalid_api_key')
      const list = await context.request('listModels')
      expectStatus(list, 200)
      const { data } = objectOf(list)
      assert.ok(Array.isArray(data), 'there is no list')
      const entry = data.find((one) => isObject(one) && one.id === context.model())
      assert.ok(entry, `the model ${context.model()} is not listed`)
      const single = await context.request('getModel', { params })
      expectStatus(single, 200)
      assert.deepEqual(objectOf(single), entry)
    },
  },

  models: {
    rules: ['EP-04', 'EP-05', 'MODL-05', 'MODL-06'],
    title: 'GET /models asks for a key and answers the list of OpenAI with the extension fields',
    needs: ['key'],
    async run(context) {
      expectError(await context.request('listModels', { key: null }), 'invalid_api_key')
      const exchange = await context.request('listModels')
      expectStatus(exchange, 200)
      const { object, data } = objectOf(exchange)
      assert.equal(object, 'list')
      assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
      for (const entry of data) {
        assert.ok(isObject(entry), 'an entry is no object')
        assert.equal(typeof entry.id, 'string')
        for (const name of ['context_length', 'pricing', 'endpoint'])
          assert.ok(name in entry, `${entry.id} has no ${name}`)
      }
    },
  },

  'openai-api': {
    rules: ['SRV-19'],
    title: 'A client of OpenAI is served and pays from credit paid before',
    needs: ['workspace', 'ledger'],
    async run(context) {
      await context.own({ balanceMicros: 1_000 })
      const { usage } = expectChat(await context.chat())
      const { balance_micros: balance } = await context.books()
      assert.ok(usage.cost_micros > 0, 'it cost nothing')
      assert.equal(balance, 1_000 - usage.cost_micros)
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
        expect: { body: { object: 'list' } },
      },
      {
        name: 'the query asks for another',
        operation: 'listModels',
        query: { 'api-version': '2030-01-01', version: '2' },
        expect: { body: { object: 'list' } },
      },
      { name: 'another path', method: 'GET', path: '//v2/models', expect: { error: 'not_found' } },
    ],
  },
} satisfies Topic
