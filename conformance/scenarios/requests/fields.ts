import type { OperationId } from '#contract/routes'
import * as assert from '../../engine/assert.ts'
import { clientMistakes, contextRefusals, contextShows, freeRecord } from '../../engine/backend-refusals.ts'
import { shows } from '../../engine/checks.ts'
import type { DataDefinition } from '../../engine/data/definition.ts'
import { errorIn, expectChat, expectError, expectStatus, listedIds } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { priceOf } from '../../engine/prices.ts'
import { NOT_THE_KEY } from '../../engine/refusals.ts'
import type { Topic } from '../../engine/topic.ts'

/** That they are refused says REQ-27, by which code REQ-32. */
const noArray = { status: ['REQ-27', 'REQ-32'], error: ['REQ-32'], param: ['REQ-32'] } as const

export default {
  'backend-400': refusedByBackend(400),
  'backend-422': refusedByBackend(422),

  'backend-model-name': {
    rules: ['REQ-02'],
    title: "An answer has the router's name of its model, whatever the backend calls it",
    needs: ['generation', 'backendScript', 'model:failover'],
    async run(context) {
      await context.script({ chunks: 1, fields: { model: 'as-the-backend-calls-it' } })
      const answer = expectChat(await context.chat({ model: context.model('failover') }))
      assert.equal(answer.model, context.model('failover'))
    },
  },

  'caps-that-differ': {
    rules: ['REQ-51'],
    title: 'Two caps that differ answer 400, two that are equal do not',
    operation: 'createChatCompletion',
    steps: [
      { body: { max_tokens: 5, max_completion_tokens: 6 }, expect: { error: 'unsupported_parameter' } },
      { body: { max_tokens: 5, max_completion_tokens: 5 } },
    ],
  },

  'context-length': {
    rules: ['ERR-07', 'ERR-23', 'LIM-12'],
    title: "A prompt longer than the model's context window answers 400 context_length_exceeded",
    needs: ['generation', 'model:small', 'backendScript'],
    async run(context) {
      const model = context.model('small')
      const entry = await context.request('getModel', { params: { id: model } })
      expectStatus(entry, 200)
      const { context_length: window } = objectOf(entry)
      assert.ok(typeof window === 'number', 'context_length is no number')
      // Whichever of the two finds it: the router, or the backend that refuses it.
      await context.script({
        status: 400,
        error: {
          error: {
            message: `This model's maximum context length is ${window} tokens.`,
            type: 'invalid_request_error',
            param: 'messages',
            code: 'context_length_exceeded',
          },
        },
      })
      // A token at least for each of the words.
      const content = `${context.prompt}${' word'.repeat(window)}`
      shows('ERR-07', 'ERR-23', 'LIM-12')
      for (const stream of [false, true]) {
        const body = { model, stream, max_tokens: 1, messages: [{ role: 'user', content }] }
        expectError(await context.chat(body), 'context_length_exceeded')
      }
    },
  },

  'context-length-litellm': tooLong('litellm'),
  'context-length-llamacpp': tooLong('llamacpp'),
  'context-length-ollama': tooLong('ollama'),
  'context-length-openai': tooLong('openai'),
  'context-length-sglang': tooLong('sglang'),
  'context-length-tensorrt': tooLong('TensorRT-LLM'),
  'context-length-tgi': tooLong('TGI'),
  'context-length-vllm': tooLong('vllm'),

  'listed-model': {
    rules: ['REQ-02'],
    title: 'Each model that is listed for a key and can chat is one that a request may name',
    needs: ['generation'],
    async run(context) {
      const id = context.model()
      assert.ok(listedIds(await context.request('listModels')).includes(id), `${id} is not listed`)
      assert.equal(expectChat(await context.chat({ model: id })).model, id)
    },
  },

  'max-completion-tokens': capped('max_completion_tokens', 4),
  'max-tokens': capped('max_tokens', 3),

  'missing-generation-id': {
    rules: ['REQ-32'],
    title: 'A look-up without an id answers missing_field and names it',
    operation: 'getGeneration',
    expect: { error: 'missing_field', param: 'id' },
    steps: [{ name: 'absent' }, { name: 'empty', query: { id: '' } }],
  },

  'missing-messages': {
    rules: ['REQ-32', 'REQ-27'],
    title: 'Messages that are absent, null, empty or no array answer missing_field and are named',
    operation: 'createChatCompletion',
    expect: { error: 'missing_field', param: 'messages' },
    shows: ['REQ-32'],
    steps: [
      { name: 'absent', omit: ['messages'] },
      { name: 'null', body: { messages: null } },
      { name: 'empty', body: { messages: [] }, shows: noArray },
      { name: 'a text', body: { messages: 'Hello' }, shows: noArray },
    ],
  },

  'missing-model': {
    rules: ['ERR-05'],
    title: 'A chat without a model is refused, and missing_field is a 400',
    needs: ['key'],
    async run(context) {
      const refused = await context.chat({}, { omit: ['model'] })
      assert.ok(refused.status >= 400 && refused.status < 500, `it is answered ${refused.status}`)
      assert.notEqual(refused.status, 401, NOT_THE_KEY)
      const { code, type } = errorIn(objectOf(refused))
      // When it is told is left open, and what goes with it is not.
      if (code === 'missing_field') assert.deepEqual([refused.status, type], [400, 'invalid_request_error'])
    },
  },

  'missing-model-named': {
    rules: ['REQ-31'],
    title: 'A model that is absent, null, empty or no text answers missing_field and is named',
    operation: 'createChatCompletion',
    expect: { error: 'missing_field', param: 'model' },
    steps: [
      { name: 'absent', omit: ['model'] },
      { name: 'null', body: { model: null } },
      { name: 'empty', body: { model: '' } },
      { name: 'a number', body: { model: 5 } },
    ],
  },

  'model-without-capability': {
    rules: ['REQ-34'],
    title: 'A model that cannot chat answers unsupported_parameter and names the model',
    steps: [
      {
        operation: 'createChatCompletion',
        body: { model: '{{model.embeddings}}' },
        expect: { error: 'unsupported_parameter', param: 'model' },
      },
    ],
  },

  'more-than-one-choice': {
    rules: ['REQ-08', 'LIM-13', 'ERR-06'],
    title: 'More than one choice cannot be had',
    needs: ['key'],
    async run(context) {
      const refused = await context.chat({ n: 2 })
      shows('REQ-08', 'LIM-13')
      assert.ok(refused.status >= 400 && refused.status < 500, `two choices are answered ${refused.status}`)
      assert.notEqual(refused.status, 401, NOT_THE_KEY)
      const { code, type } = errorIn(objectOf(refused))
      // What is told by which code is left open, and what goes with a code is not.
      if (code !== 'unsupported_parameter') return
      shows('ERR-06')
      assert.deepEqual([refused.status, type], [400, 'invalid_request_error'])
    },
  },

  'n-named': {
    rules: ['REQ-33'],
    title: 'An n other than 1 answers unsupported_parameter and is named',
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter', param: 'n' },
    steps: [{ body: { n: 2 } }, { body: { n: 0 } }, { body: { n: 1.5 } }, { body: { n: 128, stream: true } }],
  },

  'not-found-code': {
    rules: ['ERR-15'],
    title: 'A generation that is not there is refused, and not_found is a 404',
    needs: ['key'],
    async run(context) {
      // That this is refused, and as an error object, is said elsewhere: a refusal without a code tells nothing of this one.
      shows()
      const query = { id: 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV' }
      const refused = await context.request('getGeneration', { query })
      assert.ok(refused.status >= 400 && refused.status < 500, `it is answered ${refused.status}`)
      assert.notEqual(refused.status, 401, NOT_THE_KEY)
      const { code, type } = errorIn(objectOf(refused))
      shows('ERR-15')
      // When it is told is left open, and what goes with it is not.
      if (code === 'not_found') assert.deepEqual([refused.status, type], [404, 'invalid_request_error'])
    },
  },

  'null-counts-as-absent': {
    rules: ['REQ-25'],
    title: 'An honoured field that is null counts as absent',
    operation: 'createChatCompletion',
    steps: [
      {
        name: 'one of each',
        body: {
          stream: null,
          stream_options: null,
          max_tokens: null,
          max_completion_tokens: null,
          temperature: null,
          top_p: null,
          stop: null,
          seed: null,
          n: null,
          user: null,
          response_format: null,
          tools: null,
          tool_choice: null,
        },
        expect: { body: { choices: { $length: 1 } } },
      },
      { name: 'a null beside a value', body: { max_tokens: null, max_completion_tokens: 5 } },
    ],
  },

  'one-choice': {
    rules: ['REQ-08'],
    title: 'An n of 1 is accepted, and one choice comes back',
    steps: [
      { operation: 'createChatCompletion', body: { n: 1 }, expect: { body: { choices: { $length: 1 } } } },
    ],
  },

  'out-of-range': {
    rules: ['REQ-35'],
    title: 'An honoured field out of its range answers unsupported_parameter and is named',
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter' },
    steps: [
      { body: { temperature: 2.1 }, expect: { param: 'temperature' } },
      { body: { temperature: -0.1 }, expect: { param: 'temperature' } },
      { body: { top_p: -0.1 }, expect: { param: 'top_p' } },
      { body: { top_p: 1.1 }, expect: { param: 'top_p' } },
      { body: { max_tokens: 0 }, expect: { param: 'max_tokens' } },
      { body: { max_tokens: -1 }, expect: { param: 'max_tokens' } },
      { body: { max_completion_tokens: 0 }, expect: { param: 'max_completion_tokens' } },
      { body: { max_completion_tokens: -1 }, expect: { param: 'max_completion_tokens' } },
      { body: { max_tokens: 4294967296 }, expect: { param: 'max_tokens' } },
      { body: { stop: ['a', 'b', 'c', 'd', 'e'] }, expect: { param: 'stop' } },
    ],
  },

  sampling: {
    rules: ['REQ-07'],
    title: 'temperature, top_p, stop and seed reach the model as they were sent',
    backend: { chunks: ['yes'] },
    operation: 'createChatCompletion',
    steps: [
      {
        body: { temperature: 0.25, top_p: 0.5, stop: ['one', 'two'], seed: 42 },
        expect: { sent: { temperature: 0.25, top_p: 0.5, stop: ['one', 'two'], seed: 42 } },
      },
      {
        body: { temperature: 0, top_p: 1, stop: 'end', seed: -7 },
        expect: { sent: { temperature: 0, top_p: 1, stop: { $oneOf: ['end', ['end']] }, seed: -7 } },
      },
    ],
  },

  'stream-switch': {
    rules: ['REQ-04', 'SRV-08'],
    title: 'stream is what decides whether an answer is streamed',
    shows: ['REQ-04'],
    operation: 'createChatCompletion',
    steps: [
      {
        name: 'true',
        body: { stream: true, temperature: 0 },
        expect: { stream: true },
        shows: ['REQ-04', 'SRV-08'],
      },
      {
        name: 'false',
        body: { stream: false, temperature: 0 },
        expect: { body: { choices: { $length: 1 } } },
      },
      { name: 'absent', expect: { body: { choices: { $length: 1 } } } },
    ],
  },

  tokenizer: {
    rules: ['REQ-38'],
    title:
      'Where a tokenizer is configured a prompt that is too long is refused, and never sent to the model',
    needs: ['workspace', 'books', 'model:tokenized', 'backendScript'],
    async run(context) {
      const model = context.model('tokenized')
      const { contextLength } = await priceOf(context, 'tokenized')
      const inputs = (text: string): readonly [OperationId, string, object][] => [
        ['createChatCompletion', 'messages', { messages: [{ role: 'user', content: text }] }],
        ['createCompletion', 'prompt', { prompt: text }],
        ['createEmbedding', 'input', { input: ['short', text] }],
      ]
      const atModel = async () => (await context.received()).filter(({ path }) => path.startsWith('/v1/'))
      await context.script({ chunks: 2 })
      for (const [operation, param, body] of inputs(`${context.prompt} ${'word '.repeat(contextLength)}`)) {
        const exchange = await context.request(operation, { body: { model, ...body } })
        expectError(exchange, 'context_length_exceeded', { param })
      }
      assert.deepEqual(await atModel(), [], 'a prompt that is too long was sent')
      assert.deepEqual((await context.books()).generations, [], 'a refused request left a generation')
      // As many bytes, but one token only by the tokenizer's measure.
      for (const [operation, , body] of inputs(`${context.prompt} ${'x'.repeat(contextLength)}`))
        expectStatus(await context.request(operation, { body: { model, max_tokens: 9, ...body } }), 200)
      assert.equal((await atModel()).length, 3)
    },
  },

  tools: {
    rules: ['REQ-09'],
    title: 'response_format, tools and tool_choice reach the model as they were sent',
    backend: { toolCalls: [{ name: 'look', arguments: '{"a":1}' }] },
    steps: [
      {
        operation: 'createChatCompletion',
        body: {
          response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
          tools: [
            {
              type: 'function',
              function: {
                name: 'look',
                parameters: { type: 'object', properties: { a: { type: 'integer' } } },
              },
            },
          ],
          tool_choice: { type: 'function', function: { name: 'look' } },
        },
        expect: {
          body: {
            choices: {
              $items: [
                {
                  index: 0,
                  finish_reason: 'tool_calls',
                  message: {
                    tool_calls: { $items: [{ function: { name: 'look', arguments: '{"a":1}' } }] },
                  },
                },
              ],
            },
          },
          sent: {
            response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
            tools: [
              {
                type: 'function',
                function: {
                  name: 'look',
                  parameters: { type: 'object', properties: { a: { type: 'integer' } } },
                },
              },
            ],
            tool_choice: { type: 'function', function: { name: 'look' } },
          },
        },
      },
    ],
  },

  'unknown-model': {
    rules: ['REQ-02', 'ERR-14'],
    title: 'A model that is not served answers 404 model_not_found',
    needs: ['key'],
    async run(context) {
      for (const model of ['absent/model', `another ${context.model()}`]) {
        const exchange = await context.chat({ model })
        shows('REQ-02')
        assert.ok(exchange.status >= 400, `the model ${model} is answered ${exchange.status}`)
        shows('ERR-14')
        expectError(exchange, 'model_not_found')
      }
    },
  },

  user: {
    rules: ['REQ-10', 'REQ-73'],
    title: 'A request that names its user is answered, and user reaches the model as it was sent',
    backend: { chunks: ['yes'] },
    shows: { status: ['REQ-10'], sent: ['REQ-73'] },
    steps: [
      {
        operation: 'createChatCompletion',
        body: { user: 'end-user-7' },
        expect: { sent: { user: 'end-user-7' } },
      },
    ],
  },

  'wrong-types': {
    rules: ['REQ-35'],
    title: 'An honoured field of the wrong type answers unsupported_parameter and is named',
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter' },
    steps: [
      { body: { stream: 'yes' }, expect: { param: 'stream' } },
      { body: { stream: 1 }, expect: { param: 'stream' } },
      { body: { stream_options: [] }, expect: { param: 'stream_options' } },
      { body: { stream_options: { include_usage: 'yes' } }, expect: { param: 'stream_options' } },
      { body: { temperature: '1' }, expect: { param: 'temperature' } },
      { body: { top_p: true }, expect: { param: 'top_p' } },
      { body: { stop: 7 }, expect: { param: 'stop' } },
      { body: { stop: [1] }, expect: { param: 'stop' } },
      { body: { seed: 'x' }, expect: { param: 'seed' } },
      { body: { seed: 1.5 }, expect: { param: 'seed' } },
      { body: { n: '1' }, expect: { param: 'n' } },
      { body: { max_tokens: '5' }, expect: { param: 'max_tokens' } },
      { body: { max_tokens: 1.5 }, expect: { param: 'max_tokens' } },
      { body: { max_completion_tokens: [5] }, expect: { param: 'max_completion_tokens' } },
      { body: { tools: {} }, expect: { param: 'tools' } },
      { body: { tool_choice: 1 }, expect: { param: 'tool_choice' } },
      { body: { response_format: 'json' }, expect: { param: 'response_format' } },
      { body: { user: 7 }, expect: { param: 'user' } },
    ],
  },
} satisfies Topic

/** The form in which a backend refuses a prompt beyond its context window, whole or streamed. */
function tooLong(backend: keyof typeof contextRefusals): DataDefinition {
  return {
    rules: ['REQ-37', 'GEN-18'],
    title: `A prompt beyond the context window is told so where the backend refuses it in the form of ${backend}`,
    backend: contextRefusals[backend],
    operation: 'createChatCompletion',
    expect: { error: 'context_length_exceeded', param: 'messages', record: freeRecord },
    shows: contextShows,
    steps: [{}, { body: { stream: true } }],
  }
}

/** A backend that finds a field of the request wrong by itself, whole or streamed. */
function refusedByBackend(status: number): DataDefinition {
  const steps = clientMistakes('temperature', status)
  return {
    rules: ['REQ-36', 'GEN-18'],
    title: `A backend's own ${status} comes back as unsupported_parameter with its message and is no 502`,
    operation: 'createChatCompletion',
    steps: steps.flatMap((step) => [step, { ...step, body: { stream: true } }]),
  }
}

/** A field that caps the output of a backend that would say more. */
function capped(field: 'max_tokens' | 'max_completion_tokens', tokens: number): DataDefinition {
  const operation = 'createChatCompletion'
  // By which name the backend is told is left open.
  const content = Array.from({ length: tokens }, (_, index) => `word${index + 1}`).join(' ')
  // A router that bounds what it bills tells no more tokens, however many words came.
  const expect = {
    usage: { completion_tokens: tokens },
    body: { choices: { $items: [{ message: { content } }] } },
  }
  return {
    rules: ['REQ-06'],
    title: `${field} caps the output`,
    backend: { chunks: 20 },
    steps: [{ operation, body: { [field]: tokens }, expect }],
  }
}
