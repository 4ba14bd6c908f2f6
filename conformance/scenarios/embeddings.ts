import type { EmbeddingList } from '#contract/models'
import * as assert from '../engine/assert.ts'
import {
  clientMistakes,
  contextRefusals,
  contextShows,
  failures,
  freeRecord,
  untold,
  uselessBodies,
} from '../engine/backend-refusals.ts'
import { costMicros } from '../engine/books.ts'
import { shows } from '../engine/checks.ts'
import { expectForm, expectStatus, expectSubset, generationIdOf, recordIn } from '../engine/expect.ts'
import { parsed } from '../engine/http/json.ts'
import { priceOf } from '../engine/prices.ts'
import type { Topic } from '../engine/topic.ts'
import { forms } from '../engine/universal/forms.ts'

/** An error, whatever it is for. */
const anyError = {
  error: { message: { $type: 'string' }, type: { $type: 'string' }, code: { $type: 'string' } },
}

export default {
  'backend-422': {
    rules: ['REQ-36', 'GEN-18'],
    title: "A backend's own 400 or 422 at embeddings comes back as unsupported_parameter with its message",
    operation: 'createEmbedding',
    steps: [400, 422].flatMap((status) => clientMistakes('dimensions', status)),
  },

  'backend-failure': {
    rules: ['RLAY-04', 'RLAY-05', 'GEN-18'],
    title: 'A backend that fails at embeddings is told as 502, of which nothing is told or billed',
    operation: 'createEmbedding',
    steps: failures,
  },

  base64: {
    rules: ['REQ-50'],
    title: 'encoding_format reaches the backend, and base64 holds the floats that are numbers otherwise',
    needs: ['generation', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      await context.script({ promptTokens: 5 })
      const input = [context.prompt, `another ${context.nonce}`]
      const ask = async (body: object) =>
        expectForm<EmbeddingList>(
          await context.request('createEmbedding', { body: { input, ...body } }),
          forms.embeddings,
        ).data.map(({ embedding }) => embedding)
      const numbers = await ask({ encoding_format: 'float' })
      assert.ok(
        numbers.every((vector) => Array.isArray(vector)),
        'floats are not written as numbers',
      )
      assert.deepEqual(await ask({}), numbers, 'another encoding than floats is the usual one')
      const texts = await ask({ encoding_format: 'base64' })
      assert.deepEqual(texts.map(floatsOf), numbers)
      const sent = (await context.received()).map(({ body }) => parsed(body).encoding_format as unknown)
      assert.deepEqual(sent, ['float', undefined, 'base64'])
    },
  },

  capability: {
    rules: ['EP-12'],
    title: 'Embeddings are to be had only of a model whose capabilities include them',
    needs: ['generation', 'feature:embeddings', 'model:embeddings', 'chatAlone'],
    async run(context) {
      const refused = await context.request('createEmbedding', { body: { model: context.model() } })
      // Which refusal it is, the given specification leaves open.
      assert.ok(
        refused.status >= 400 && refused.status < 500,
        `a model of chat was answered ${refused.status}`,
      )
      expectStatus(await context.request('createEmbedding'), 200)
    },
  },

  'capability-named': {
    rules: ['REQ-34'],
    title: 'A model that makes no embeddings answers unsupported_parameter and names the model',
    operation: 'createEmbedding',
    expect: { error: 'unsupported_parameter', param: 'model' },
    steps: [{ body: { model: '{{model.chat}}' } }, { body: { model: '{{model.completions}}' } }],
  },

  'context-length': {
    rules: ['REQ-37', 'GEN-18'],
    title: 'An input beyond the context window names input, whichever backend refuses it',
    operation: 'createEmbedding',
    expect: { error: 'context_length_exceeded', param: 'input', record: freeRecord },
    shows: contextShows,
    steps: Object.entries(contextRefusals).map(([name, backend]) => ({ name, backend })),
  },

  counted: {
    rules: ['MET-10', 'MET-11'],
    title: 'Without usage the inputs of embeddings count a quarter of their bytes, and the record says so',
    needs: ['generation', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      await context.script({ usage: 'none' })
      const input = ['12345678', '1']
      const exchange = await context.request('createEmbedding', { body: { input, user: context.prompt } })
      shows('MET-10')
      const { usage } = expectForm<EmbeddingList>(exchange, forms.embeddings)
      assert.deepEqual([usage.prompt_tokens, usage.total_tokens], [3, 3])
      const record = recordIn(await context.record(generationIdOf(exchange)))
      assert.equal(record.prompt_tokens, 3)
      shows('MET-11')
      assert.equal(record.usage_source, 'counted')
    },
  },

  'fields-judged': {
    rules: ['REQ-33', 'REQ-35'],
    title:
      'Embeddings are not streamed, and a field with a wrong value answers unsupported_parameter and is named',
    operation: 'createEmbedding',
    shows: ['REQ-35'],
    steps: [
      {
        body: { stream: true },
        expect: { error: 'unsupported_parameter', param: 'stream' },
        shows: ['REQ-33'],
      },
      { body: { dimensions: 0 }, expect: { error: 'unsupported_parameter', param: 'dimensions' } },
      { body: { dimensions: 'many' }, expect: { error: 'unsupported_parameter', param: 'dimensions' } },
      { body: { encoding_format: 64 }, expect: { error: 'unsupported_parameter', param: 'encoding_format' } },
      { body: { user: 7 }, expect: { error: 'unsupported_parameter', param: 'user' } },
      { body: { input: ['one', 2] }, expect: { error: 'unsupported_parameter', param: 'input' } },
      { body: { input: [{}] }, expect: { error: 'unsupported_parameter', param: 'input' } },
      {
        name: 'a stream that is none',
        body: { stream: false },
        expect: { body: { object: 'list' } },
        shows: ['REQ-33'],
      },
    ],
  },

  hold: {
    rules: ['CRED-07'],
    title: 'Embeddings hold the sum of what each input can be at most, and nothing for an answer',
    needs: ['workspace', 'books', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      const { contextLength, ...prices } = await priceOf(context, 'embeddings')
      const { templateTokens } = context.target.limits
      await context.script({ beforeHeadersMs: 60_000 })
      // The last one is longer than the window, which it can fill but not exceed.
      const input = [context.prompt, 'short', 'x'.repeat(contextLength + 1)]
      const promptTokens = input
        .map((text) => Math.min(contextLength, Buffer.byteLength(text) + templateTokens))
        .reduce((sum, tokens) => sum + tokens)
      const call = await context.open('createEmbedding', { body: { input } })
      const [hold] = await context.eventually('a hold', async () => {
        const { holds } = await context.books()
        return holds.length > 0 && holds
      })
      assert.equal(hold?.amount_micros, costMicros({ promptTokens, completionTokens: 0 }, prices))
      call.abort()
      await context.eventually('the hold ends', async () => (await context.books()).holds.length === 0)
      expectStatus(await context.request('listModels'), 200)
    },
  },

  'inputs-sent': {
    rules: ['REQ-50'],
    title: 'Whatever form an input has, it reaches the backend as it was sent, with no cap of an output',
    needs: ['generation', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      await context.script({ promptTokens: 4 })
      for (const input of ['größe', ['Once', 'twice'], [1, 2, 3], [[1], [2, 3]]]) {
        // That inputs are not changed is told here and is no rule of its own.
        shows()
        const body = { input, encoding_format: 'float', dimensions: 4, user: context.prompt }
        expectStatus(await context.request('createEmbedding', { body }), 200)
        const { path, body: received } = (await context.received()).at(-1) ?? {}
        const { model: _, encoding_format: format, ...sent } = parsed(received)
        const { encoding_format: wanted, ...others } = body
        assert.deepEqual([path, sent], ['/v1/embeddings', others])
        shows('REQ-50')
        assert.equal(format, wanted)
      }
    },
  },

  key: {
    rules: ['EP-11', 'AUTH-06', 'AUTH-07'],
    title: 'A key that was revoked, has expired or is none is told so at POST /embeddings',
    operation: 'createEmbedding',
    steps: [
      { name: 'revoked', key: 'revoked', expect: { error: 'api_key_revoked' }, shows: ['AUTH-06'] },
      { name: 'expired', key: 'expired', expect: { error: 'api_key_expired' }, shows: ['AUTH-07'] },
      { name: 'no key', key: 'none', expect: { error: 'invalid_api_key' }, shows: ['EP-11'] },
    ],
  },

  left: {
    rules: ['GEN-24'],
    title: 'Whoever leaves before the vectors come has an aborted generation, and the backend is let go',
    needs: ['workspace', 'books', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      await context.script({ beforeHeadersMs: 60_000 })
      const call = await context.open('createEmbedding')
      await context.eventually(
        'the request at the backend',
        async () => (await context.received()).length > 0,
      )
      call.abort()
      const [record] = await context.eventually('the record of what was left', async () => {
        const { generations } = await context.books()
        return generations.length > 0 && generations
      })
      assert.equal(record?.status, 'aborted')
      assert.equal(record?.completion_tokens, 0)
      await context.eventually('the backend is let go', async () => {
        const [request] = await context.received()
        return request?.outcome === 'client-left'
      })
    },
  },

  'missing-input': {
    rules: ['REQ-32'],
    title: 'An input that is absent, null or empty answers missing_field and is named',
    operation: 'createEmbedding',
    expect: { error: 'missing_field', param: 'input' },
    steps: [
      { name: 'absent', omit: ['input'] },
      { name: 'null', body: { input: null } },
      { name: 'empty', body: { input: '' } },
      { name: 'an empty array', body: { input: [] } },
    ],
  },

  refusals: {
    rules: ['ERR-03', 'ERR-11', 'ERR-12', 'ERR-13'],
    title: 'POST /embeddings refuses by the codes of the contract',
    operation: 'createEmbedding',
    steps: [
      { name: 'out of scope', key: 'scoped', expect: { error: 'model_not_in_key_scope' }, shows: ['ERR-13'] },
      { name: 'no credit', key: 'poor', expect: { error: 'insufficient_credits' }, shows: ['ERR-11'] },
      { name: 'spend limit', key: 'capped', expect: { error: 'key_spend_limit_reached' }, shows: ['ERR-12'] },
      { name: 'no JSON', text: '[', expect: { status: 400, body: anyError }, shows: { body: ['ERR-03'] } },
      { name: 'no such model', body: { model: 'absent' }, expect: { error: 'model_not_found' }, shows: [] },
    ],
  },

  usage: {
    rules: ['CHAT-16', 'GEN-19', 'GEN-20'],
    title: 'usage of embeddings has the three members more, and the cost is that of the prompt tokens',
    needs: ['workspace', 'books', 'feature:embeddings', 'model:embeddings', 'backendScript'],
    async run(context) {
      // An odd number, so that few prices make a whole cost of it.
      const promptTokens = 101 + 2 * context.random.below(450)
      await context.script({ promptTokens })
      const prices = await priceOf(context, 'embeddings')
      const input = [context.prompt, 'another']
      const exchange = await context.request('createEmbedding', { body: { input } })
      shows('CHAT-16')
      const list = expectForm<EmbeddingList>(exchange, forms.embeddings)
      const { data, model, usage } = list
      shows()
      assert.deepEqual(
        data.map(({ index }) => index),
        [0, 1],
      )
      assert.ok(!('id' in list), 'vectors have no id of a generation')
      assert.equal(model, context.model('embeddings'))
      shows('CHAT-16')
      assert.equal(usage.prompt_tokens, promptTokens)
      assert.equal(usage.total_tokens, promptTokens)
      assert.equal(usage.completion_tokens, 0)
      assert.equal(usage.cost_micros, costMicros({ promptTokens, completionTokens: 0 }, prices))
      assert.ok(typeof usage.endpoint === 'string' && usage.endpoint !== '', 'usage.endpoint is no text')
      assert.ok(
        usage.evidence_digest === null || typeof usage.evidence_digest === 'string',
        'usage.evidence_digest is neither a text nor null',
      )
      const id = generationIdOf(exchange)
      const record = recordIn(await context.record(id))
      shows('GEN-19')
      expectSubset(
        record,
        { id, operation: 'embeddings', streamed: false, finish_reason: null },
        'the record',
      )
      shows('GEN-20')
      expectSubset(
        record,
        { time_to_first_token_ms: null, prompt_tokens: promptTokens, completion_tokens: 0 },
        'the record',
      )
      // Which of the two is wrong where they differ is told where each of them stands alone.
      shows()
      const { cost_micros, endpoint, evidence_digest } = usage
      expectSubset(record, { status: 'ok', cost_micros, endpoint, evidence_digest }, 'the record')
      const rows = (await context.books()).entries.filter(({ reference }) => reference === id)
      assert.deepEqual(
        rows.map(({ amount_micros }) => amount_micros),
        [0 - cost_micros],
      )
    },
  },

  'useless-answers': {
    rules: ['STRM-18'],
    title: 'A 200 that holds no vectors is 502 backend_error',
    operation: 'createEmbedding',
    expect: { error: 'backend_error', message: untold },
    steps: uselessBodies.map((body) => ({ name: body || 'nothing', backend: { body } })),
  },

  vectors: {
    rules: ['EP-11', 'SRV-07', 'REQ-12'],
    title: 'POST /embeddings asks for a key and turns texts into vectors in the form of OpenAI',
    shows: ['REQ-12'],
    operation: 'createEmbedding',
    steps: [
      { name: 'no key', key: 'none', expect: { error: 'invalid_api_key' }, shows: ['EP-11'] },
      {
        name: 'a text',
        shows: ['EP-11', 'SRV-07', 'REQ-12'],
        body: { encoding_format: 'float' },
        expect: {
          body: {
            object: 'list',
            data: { $length: 1 },
            usage: { prompt_tokens: { $type: 'integer' }, total_tokens: { $type: 'integer' } },
          },
        },
      },
      {
        name: 'two texts',
        body: { input: ['{{prompt}}', 'another'] },
        expect: { body: { data: { $length: 2 } } },
      },
      { name: 'tokens', body: { input: [1, 2, 3] }, expect: { body: { data: { $type: 'array' } } } },
    ],
  },
} satisfies Topic

function floatsOf(text: unknown): readonly number[] {
  assert.ok(typeof text === 'string', 'base64 is no text')
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}
