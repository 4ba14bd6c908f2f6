import { isObject } from '#base/object.ts'
import * as assert from '../engine/assert.ts'
import { showing, shows } from '../engine/checks.ts'
import { expectError, expectModel, expectModels, expectStatus } from '../engine/expect.ts'
import { objectOf } from '../engine/http/exchange.ts'
import { entryFor, labelIn, labelNeeds, rootWith } from '../engine/labels.ts'
import { pricesIn } from '../engine/prices.ts'
import type { Topic } from '../engine/topic.ts'

const cases: readonly (readonly [name: string, value: Buffer | string, label: string | null])[] = [
  ['field 1', field(1), 'AMD SEV-SNP (QEMU)'],
  ['no certificate at all', 'none', null],
  ['field 2', field(2), 'Intel TDX (QEMU)'],
  ['two fields', Buffer.concat([field(1), field(2)]), null],
  ['field 3', field(3), 'Intel TDX (GCP)'],
  ['a field that means nothing', field(6), null],
  ['field 4', field(4), 'Intel TDX (Azure)'],
  ['bytes that end too soon', field(4).subarray(0, 4), null],
  ['field 5', field(5), 'AMD SEV-SNP (Azure)'],
  ['a number in place of bytes', Buffer.of(5 << 3, 1), null],
]

export default {
  'default-output': {
    rules: ['CRED-12'],
    title:
      'max_output_tokens is 16,384 or the context length where that is less, unless the model sets another',
    needs: ['key'],
    async run(context) {
      const exchange = await context.request('getModel', { params: { id: context.model() } })
      expectStatus(exchange, 200)
      const { context_length: length, max_output_tokens: most } = objectOf(exchange)
      showing([], () => assert.ok(Number.isInteger(length), 'context_length is no count'))
      assert.equal(most, Math.min(Number(length), 16_384))
    },
  },

  entry: {
    rules: ['MODL-01', 'MODL-02', 'MODL-03'],
    title: 'An entry has a text as its id, a whole number as its context window, and two prices',
    needs: ['key'],
    async run(context) {
      const exchange = await context.request('listModels')
      expectStatus(exchange, 200)
      const { data } = objectOf(exchange)
      shows('MODL-01')
      assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
      for (const entry of data) {
        shows('MODL-01')
        assert.ok(isObject(entry) && typeof entry.id === 'string' && entry.id !== '', 'an entry has no id')
        shows('MODL-02')
        assert.ok(
          Number.isInteger(entry.context_length) && Number(entry.context_length) > 0,
          'context_length is no count',
        )
        shows('MODL-03')
        // What its members are called, and how a price is written, is left open.
        assert.ok(pricesIn(entry.pricing).length >= 2, 'pricing does not tell two prices')
      }
    },
  },

  'entry-as-openai': {
    rules: ['MODL-13'],
    title: 'An entry says that it is a model, when it was made and who owns it',
    needs: ['key'],
    async run(context) {
      for (const entry of expectModels(await context.request('listModels'))) {
        assert.equal(entry.object, 'model')
        assert.ok(
          Number.isInteger(entry.created) && entry.created >= 0 && entry.created < 1e11,
          'created is not in seconds',
        )
        assert.ok(entry.owned_by.length > 0)
      }
    },
  },

  'entry-names': {
    rules: ['MODL-14', 'MODL-15', 'MODL-16', 'MODL-17'],
    title: 'An entry has its name, its largest output, its endpoint, both prices by name, and what it can do',
    needs: ['key'],
    async run(context) {
      for (const entry of expectModels(await context.request('listModels'))) {
        shows('MODL-14')
        assert.ok(entry.name.length > 0)
        assert.ok(Number.isInteger(entry.max_output_tokens) && entry.max_output_tokens > 0)
        shows('MODL-15')
        assert.ok(entry.endpoint.name.length > 0)
        assert.ok(entry.endpoint.hostname.length > 0)
        shows('MODL-16')
        for (const name of ['prompt_per_1m_micros', 'completion_per_1m_micros'])
          assert.ok(name in entry.pricing, `pricing has no ${name}`)
        shows('MODL-17')
        assert.ok(entry.capabilities.length > 0)
        for (const capability of entry.capabilities) {
          assert.ok(
            ['chat', 'completions', 'embeddings'].includes(capability),
            `${capability} is not a capability`,
          )
        }
      }
    },
  },

  'out-of-scope-hidden': {
    rules: ['AUTH-09'],
    title: 'The list of models leaves out what lies outside the scope of the key',
    needs: ['workspace', 'model:other'],
    async run(context) {
      await context.own({ scope: ['other'] })
      const exchange = await context.request('listModels')
      expectStatus(exchange, 200)
      const { data } = objectOf(exchange)
      assert.ok(Array.isArray(data), 'there is no list')
      assert.deepEqual(
        data.map((entry) => (isObject(entry) ? entry.id : undefined)),
        [context.model('other')],
      )
    },
  },

  'out-of-scope-not-found': {
    rules: ['MODL-20'],
    title:
      'GET /models/{id} answers 404 for a model outside the scope of the key, as for one that is not there',
    needs: ['workspace', 'model:other'],
    async run(context) {
      await context.own({ scope: ['other'] })
      const outside = await context.request('getModel', { params: { id: context.model('chat') } })
      expectError(outside, 'model_not_found')
      expectStatus(await context.request('getModel', { params: { id: context.model('other') } }), 200)
    },
  },

  slash: {
    rules: ['MODL-19', 'MODL-18'],
    title: 'GET /models/{id} takes the slash of an id as it is',
    needs: ['key'],
    shows: { status: ['MODL-19'], body: ['MODL-19', 'MODL-18'] },
    steps: [
      {
        operation: 'getModel',
        params: { id: '{{model.slashed}}' },
        expect: { body: { id: '{{model.slashed}}' } },
      },
    ],
  },

  'slash-encoded': {
    rules: ['MODL-19', 'MODL-18'],
    title: 'GET /models/{id} takes the slash of an id percent-encoded',
    needs: ['key', 'model:slashed'],
    async run(context) {
      const id = context.model('slashed')
      assert.ok(id.includes('/'), 'the model of the target has no slash')
      shows('MODL-19')
      const encoded = expectModel(
        await context.request('getModel', { params: { id: encodeURIComponent(id) } }),
      )
      shows('MODL-19', 'MODL-18')
      assert.equal(encoded.id, id)
      const lower = encodeURIComponent(id).replaceAll('%2F', '%2f')
      assert.equal(expectModel(await context.request('getModel', { params: { id: lower } })).id, id)
    },
  },

  'tee-label': {
    rules: ['MODL-04', 'MODL-12'],
    title: 'The label of an endpoint is a text, null, or not there, and names no GPU',
    needs: ['key'],
    async run(context) {
      const exchange = await context.request('listModels')
      expectStatus(exchange, 200)
      const { data } = objectOf(exchange)
      shows('MODL-04')
      assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
      for (const entry of data) {
        const { tee } = isObject(entry) && isObject(entry.endpoint) ? entry.endpoint : {}
        shows('MODL-04')
        assert.ok(
          tee === undefined || tee === null || typeof tee === 'string',
          `the label is ${JSON.stringify(tee)}`,
        )
        shows('MODL-12')
        assert.doesNotMatch(String(tee), /gpu|nvidia|h100|h200|b200|mi300/i)
      }
    },
  },

  'tee-label-read': {
    rules: ['MODL-23', 'MODL-24', 'MODL-25'],
    title:
      'The one field in the extension of the last certificate is the label; anything else is null, and no failure',
    needs: labelNeeds,
    subjects: ['router'],
    // What is published is published for all.
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2 * cases.length,
    async run(context) {
      for (const [name, value, label] of cases) {
        const root = typeof value === 'string' ? value : await rootWith(value)
        shows()
        const entry = await entryFor(context, root)
        shows('MODL-25')
        const found = labelIn(entry)
        shows(label === null ? 'MODL-24' : 'MODL-23')
        assert.equal(found, label, name)
      }
    },
  },

  'tee-label-unknown': {
    rules: ['MODL-10'],
    title: 'Where the evidence names nothing that the router knows, the label is null',
    needs: labelNeeds,
    subjects: ['router'],
    // What is published is published for all.
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const label = labelIn(await entryFor(context, await rootWith(undefined)))
      shows('MODL-10')
      assert.equal(label, null)
    },
  },

  'tee-labels-known': {
    rules: ['MODL-22'],
    title: 'A label is one of the five that the platform defines',
    needs: ['key'],
    async run(context) {
      const labels = [
        'AMD SEV-SNP (QEMU)',
        'Intel TDX (QEMU)',
        'Intel TDX (GCP)',
        'Intel TDX (Azure)',
        'AMD SEV-SNP (Azure)',
      ]
      for (const { endpoint } of expectModels(await context.request('listModels'))) {
        if (typeof endpoint.tee === 'string')
          assert.ok(labels.includes(endpoint.tee), `${endpoint.tee} is not one of them`)
      }
    },
  },

  'slash-unknown': {
    rules: ['MODL-19'],
    title: 'A model with a slash that is not there answers 404 model_not_found, however the slash is written',
    operation: 'getModel',
    expect: { error: 'model_not_found' },
    shows: ['MODL-19'],
    steps: [
      // Whoever finds any model finds one with a slash.
      { params: { id: 'absent' }, shows: [] },
      ...['absent/model', 'absent%2Fmodel'].map((id) => ({ params: { id } })),
    ],
  },

  unknown: {
    rules: ['EP-08', 'ERR-14'],
    title: 'A model that is not there answers 404 model_not_found',
    operation: 'getModel',
    expect: { error: 'model_not_found' },
    shows: ['EP-08', 'ERR-14'],
    steps: ['absent', 'a%0Ab'].map((id) => ({ params: { id } })),
  },
} satisfies Topic

/** A field of a protobuf message, by its number; of the wire type for bytes. */
function field(number: number, content = 'quote'): Buffer {
  return Buffer.concat([Uint8Array.of((number << 3) | 2, content.length), Buffer.from(content)])
}
