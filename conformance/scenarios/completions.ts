import { abortAfter, expectAborted, expectAbortedInBooks } from '../engine/aborted.ts'
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
import { showing, shows } from '../engine/checks.ts'
import { debitsOf } from '../engine/debits.ts'
import { expectError, expectSubset, generationIdOf, recordIn } from '../engine/expect.ts'
import { parsed } from '../engine/http/json.ts'
import { priceOf, windowOf } from '../engine/prices.ts'
import {
  expectCompletion,
  expectFailedTextStream,
  expectTextStream,
  readTextStream,
} from '../engine/texts.ts'
import type { Topic } from '../engine/topic.ts'

/** An error, whatever it is for. */
const anyError = {
  error: { message: { $type: 'string' }, type: { $type: 'string' }, code: { $type: 'string' } },
}

export default {
  answer: {
    rules: ['CHAT-17', 'GEN-19', 'GEN-20', 'MET-11', 'RLAY-01'],
    title:
      'A text completion is answered as a chat is: generation id, model, text_completion, extended usage',
    needs: ['workspace', 'books', 'model:completions', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 4, promptTokens: 11 })
      shows('CHAT-17')
      const exchange = await context.request('createCompletion')
      const { id, object, model, choices, usage } = expectCompletion(exchange)
      assert.equal(object, 'text_completion')
      assert.equal(id, generationIdOf(exchange))
      assert.equal(model, context.model('completions'))
      assert.equal(choices[0]?.text, 'word1 word2 word3 word4')
      assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [11, 4, 15])

      const record = recordIn(await context.record(id))
      shows('GEN-19')
      expectSubset(record, { operation: 'completions', streamed: false, finish_reason: 'stop' }, 'the record')
      shows('GEN-20')
      expectSubset(record, { prompt_tokens: 11, completion_tokens: 4 }, 'the record')
      // Which of the two is wrong where they differ is told where each of them stands alone.
      shows()
      const { cost_micros, endpoint, evidence_digest } = usage
      expectSubset(record, { cost_micros, endpoint, evidence_digest }, 'the record')
      const rows = (await context.books()).entries.filter(({ reference }) => reference === id)
      assert.deepEqual(
        rows.map(({ amount_micros }) => amount_micros),
        [0 - cost_micros],
      )

      shows('CHAT-17')
      const body = { stream: true, stream_options: { include_usage: true } }
      const streamed = await context.request('createCompletion', { body })
      const { chunks, text, usage: last } = expectTextStream(streamed)
      for (const chunk of chunks) {
        assert.deepEqual([chunk.object, chunk.id], ['text_completion', generationIdOf(streamed)])
        assert.equal(chunk.model, model)
      }
      assert.equal(text, choices[0]?.text)
      assert.deepEqual([last?.prompt_tokens, last?.completion_tokens, last?.endpoint], [11, 4, endpoint])
      assert.equal(last?.cost_micros, cost_micros)
      const counted = recordIn(await context.record(generationIdOf(streamed)))
      shows('GEN-19')
      expectSubset(counted, { operation: 'completions', streamed: true }, 'the record of a stream')
      shows('MET-11')
      assert.equal(counted.usage_source, 'backend')
      shows('GEN-20')
      assert.equal(counted.completion_tokens, 4)
      shows()
      assert.equal(counted.cost_micros, last?.cost_micros)

      shows('RLAY-01')
      expectTextStream(await context.request('createCompletion', { body: { stream: true } }))
      const sent = parsed((await context.received()).at(-1)?.body)
      assert.deepEqual(sent.stream_options, { include_usage: true }, 'the backend was not asked for usage')
    },
  },

  'backend-400': {
    rules: ['REQ-36', 'GEN-18'],
    title:
      "A backend's own 400 or 422 to a text completion comes back as unsupported_parameter with its message",
    operation: 'createCompletion',
    steps: [400, 422].flatMap((status) => clientMistakes('suffix', status)),
  },

  'backend-failure': {
    rules: ['RLAY-04', 'RLAY-05', 'GEN-18'],
    title: 'A backend that fails a text completion is told as 502, of which nothing is told or billed',
    operation: 'createCompletion',
    steps: failures.flatMap((step) => [step, { ...step, body: { stream: true } }]),
  },

  'best-of': {
    rules: ['REQ-30'],
    title: 'best_of other than 1 answers unsupported_parameter and is named',
    operation: 'createCompletion',
    steps: [
      { name: 'two', body: { best_of: 2 }, expect: { error: 'unsupported_parameter', param: 'best_of' } },
      { name: 'none', body: { best_of: 0 }, expect: { error: 'unsupported_parameter', param: 'best_of' } },
      {
        name: 'a text',
        body: { best_of: '1' },
        expect: { error: 'unsupported_parameter', param: 'best_of' },
      },
      { name: 'one', body: { best_of: 1 }, expect: { body: { object: 'text_completion' } } },
      {
        name: 'in a chat',
        operation: 'createChatCompletion',
        body: { best_of: 2 },
        expect: { error: 'unsupported_parameter', param: 'best_of' },
      },
    ],
  },

  capability: {
    rules: ['REQ-34'],
    title: 'A model that cannot continue texts answers unsupported_parameter and names the model',
    operation: 'createCompletion',
    steps: [
      {
        name: 'one of embeddings',
        body: { model: '{{model.embeddings}}' },
        expect: { error: 'unsupported_parameter', param: 'model' },
      },
      { name: 'one that does', expect: { body: { object: 'text_completion' } } },
    ],
  },

  'context-length': {
    rules: ['REQ-37', 'GEN-18'],
    title: 'A prompt beyond the context window names prompt, whichever backend refuses it',
    operation: 'createCompletion',
    expect: { error: 'context_length_exceeded', param: 'prompt', record: freeRecord },
    shows: contextShows,
    steps: Object.entries(contextRefusals).flatMap(([name, backend]) => [
      { name, backend },
      { name, backend, body: { stream: true } },
    ]),
  },

  'failed-stream': {
    rules: ['EP-10', 'ERR-36'],
    title: 'A streamed text that fails ends with an error event and [DONE]',
    needs: ['generation', 'backendScript', 'model:completions'],
    async run(context) {
      await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
      const exchange = await context.request('createCompletion', { body: { stream: true } })
      shows('EP-10', 'ERR-36')
      const { text } = expectFailedTextStream(exchange)
      shows('EP-10')
      assert.equal(text, 'word1 word2 word3')
    },
  },

  'fields-judged': {
    rules: ['REQ-35', 'REQ-33'],
    title:
      'An honoured field of a text completion with a wrong value answers unsupported_parameter and is named',
    operation: 'createCompletion',
    expect: { error: 'unsupported_parameter' },
    shows: ['REQ-35'],
    steps: [
      { body: { n: 2 }, expect: { param: 'n' }, shows: ['REQ-33'] },
      { body: { stream: 'sometimes' }, expect: { param: 'stream' } },
      { body: { stream_options: 7 }, expect: { param: 'stream_options' } },
      { body: { max_tokens: -1 }, expect: { param: 'max_tokens' } },
      { body: { max_tokens: 'many' }, expect: { param: 'max_tokens' } },
      { body: { temperature: 2.5 }, expect: { param: 'temperature' } },
      { body: { top_p: -1 }, expect: { param: 'top_p' } },
      { body: { seed: 'first' }, expect: { param: 'seed' } },
      { body: { stop: 7 }, expect: { param: 'stop' } },
      { body: { user: {} }, expect: { param: 'user' } },
      { body: { stream: 1 }, expect: { param: 'stream' } },
      { body: { prompt: [[1], 2] }, expect: { param: 'prompt' } },
    ],
  },

  'field-in-another-case': {
    rules: ['REQ-26'],
    title:
      'A field of a text completion that differs from an honoured one by case alone is refused and named',
    steps: [
      {
        operation: 'createCompletion',
        body: { BEST_OF: 2 },
        expect: { error: 'unsupported_parameter', param: 'BEST_OF' },
      },
    ],
  },

  hold: {
    rules: ['REQ-29', 'CRED-05'],
    title: 'Several prompts hold what all of them can cost, each with its template',
    needs: ['workspace', 'books', 'model:completions', 'backendScript'],
    async run(context) {
      const { contextLength: _, maxOutputTokens: __, ...prices } = await priceOf(context, 'completions')
      const { templateTokens } = context.target.limits
      await context.script({ beforeHeadersMs: 60_000 })
      const prompt = [context.prompt, 'twice', 'thrice']
      const call = await context.open('createCompletion', { body: { prompt, max_tokens: 0, echo: true } })
      shows('CRED-05')
      const [hold] = await context.eventually('a hold', async () => {
        const { holds } = await context.books()
        return holds.length > 0 && holds
      })
      const least = costMicros({ promptTokens: prompt.length * templateTokens, completionTokens: 0 }, prices)
      shows('REQ-29', 'CRED-05')
      assert.ok((hold?.amount_micros ?? 0) > least, `${hold?.amount_micros} is what fewer could cost`)
      shows('REQ-29')
      // The hold stands before anything is sent.
      const received = await context.eventually('the request at the backend', async () => {
        return (await context.received())[0]
      })
      expectSubset(parsed(received.body), { prompt, max_tokens: 0, echo: true }, 'what was sent')
      call.abort()
      // Nothing of it was served: by its own count three texts have come to the router.
      const [record] = await context.eventually('the record of what was left', async () => {
        const { generations } = await context.books()
        return generations.length > 0 && generations
      })
      assert.equal(record?.prompt_tokens, Math.ceil(Buffer.byteLength(prompt.join('')) / 4))
    },
  },

  key: {
    rules: ['EP-09', 'AUTH-06', 'AUTH-07'],
    title: 'A key that was revoked, has expired or is none is told so at POST /completions',
    operation: 'createCompletion',
    steps: [
      { name: 'no key', key: 'none', expect: { error: 'invalid_api_key' }, shows: ['EP-09'] },
      { name: 'expired', key: 'expired', expect: { error: 'api_key_expired' }, shows: ['AUTH-07'] },
      { name: 'revoked', key: 'revoked', expect: { error: 'api_key_revoked' }, shows: ['AUTH-06'] },
    ],
  },

  'left-stream': {
    rules: ['EP-10', 'GEN-11', 'GEN-12', 'GEN-13'],
    title: 'Whoever leaves a streamed text pays for what was counted until then',
    needs: ['workspace', 'debits', 'backendScript', 'model:completions'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 20 })
      const call = await context.open('createCompletion', { body: { stream: true } })
      const seen = await abortAfter(call, (soFar) => readTextStream(soFar).chunks.length >= 5)
      shows('EP-10', 'GEN-11')
      const record = await expectAborted(context, seen)
      shows('GEN-12')
      assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
      const { completion_tokens: tokens } = record
      assert.ok(tokens > 0 && tokens < 200, `${tokens} tokens were counted of a stream left after 5`)
      const debits = debitsOf(await context.debits(), record.id)
      shows('GEN-13')
      assert.ok(record.cost_micros > 0, 'it cost nothing')
      assert.deepEqual(debits, [record.cost_micros])
    },
  },

  'left-tokens-counted': {
    rules: ['MET-10'],
    title: 'A prompt of tokens counts as many as it has where its stream was left',
    needs: ['workspace', 'books', 'backendScript', 'model:completions'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 20 })
      const body = { prompt: [5, 6, 7, 8, 9], stream: true, user: context.prompt }
      const call = await context.open('createCompletion', { body })
      const seen = await abortAfter(call, (soFar) => readTextStream(soFar).chunks.length >= 2)
      const record = await showing([], () => expectAbortedInBooks(context, seen))
      assert.deepEqual([record.usage_source, record.prompt_tokens], ['counted', 5])
      assert.ok(record.completion_tokens >= 1, 'what was delivered was not counted')
    },
  },

  'metered-when-failed': {
    rules: ['STRM-14', 'STRM-18'],
    title: 'A streamed text whose backend ends too soon is an error event, and what came is metered',
    needs: ['workspace', 'books', 'backendScript', 'model:completions'],
    async run(context) {
      for (const kind of ['eof', 'cut']) {
        await context.script({ chunks: 8, fault: { kind, afterChunks: 3 } })
        const exchange = await context.request('createCompletion', { body: { stream: true } })
        shows('STRM-14', 'STRM-18')
        const { error, text } = expectFailedTextStream(exchange)
        shows('STRM-14')
        assert.deepEqual([error.code, text], ['backend_unavailable', 'word1 word2 word3'])
        const record = await expectAbortedInBooks(context, exchange)
        // 17 bytes.
        assert.deepEqual([record.usage_source, record.completion_tokens], ['counted', 5])
      }
    },
  },

  'missing-prompt': {
    rules: ['REQ-32'],
    title: 'A prompt that is absent, null or empty answers missing_field and is named',
    operation: 'createCompletion',
    expect: { error: 'missing_field', param: 'prompt' },
    steps: [
      { name: 'absent', omit: ['prompt'] },
      { name: 'null', body: { prompt: null } },
      { name: 'empty', body: { prompt: '' } },
      { name: 'an empty array', body: { prompt: [] } },
      { name: 'an object', body: { prompt: {} } },
    ],
  },

  pings: {
    rules: ['EP-10', 'STRM-02'],
    title: 'While the first token of a text is awaited, the line ": ping" comes regularly',
    needs: ['generation', 'model:completions', 'backendScript'],
    // How many fit in is chance on a busy machine.
    isCompared: false,
    waitsMs: ({ pingMs }) => 2.5 * pingMs,
    async run(context) {
      const { pingMs } = context.target.limits
      await context.script({ chunks: 3, beforeFirstChunkMs: 2.5 * pingMs })
      const exchange = await context.request('createCompletion', { body: { stream: true } })
      shows()
      const { pings, text } = expectTextStream(exchange)
      shows('EP-10', 'STRM-02')
      assert.ok(pings.length >= 1, 'there was no ping')
      for (const { text: comment } of pings) assert.equal(comment, ': ping')
      shows('EP-10')
      assert.equal(text, 'word1 word2 word3')
    },
  },

  prompts: {
    rules: ['REQ-29', 'REQ-59'],
    title: 'A prompt is a text, the tokens of one, or a list of either, and each of several has its choice',
    operation: 'createCompletion',
    shows: ['REQ-29'],
    steps: [
      { name: 'a text', expect: { body: { object: 'text_completion' } } },
      {
        name: 'a text in an array',
        body: { prompt: ['{{prompt}}'] },
        expect: { body: { object: 'text_completion' } },
      },
      { name: 'tokens', body: { prompt: [1, 2, 3] }, expect: { body: { object: 'text_completion' } } },
      {
        name: 'tokens in an array',
        body: { prompt: [[1, 2, 3]] },
        expect: { body: { object: 'text_completion' } },
      },
      {
        name: 'two texts',
        body: { prompt: ['one', 'two'] },
        expect: { body: { object: 'text_completion', choices: { $items: [{ index: 0 }, { index: 1 }] } } },
      },
      {
        name: 'tokens of two texts',
        body: { prompt: [[1, 2], [3]] },
        expect: { body: { choices: { $items: [{ index: 0 }, { index: 1 }] } } },
      },
      {
        name: 'no tokens at all',
        body: { max_tokens: 0, echo: true },
        shows: ['REQ-59'],
        expect: { body: { object: 'text_completion' } },
      },
      {
        name: 'texts and tokens',
        body: { prompt: ['one', 2] },
        expect: { error: 'unsupported_parameter', param: 'prompt' },
      },
    ],
  },

  'prompts-sent': {
    rules: ['REQ-29', 'CRED-09'],
    title: 'Whatever form a prompt has, it reaches the backend as it was sent, with the cap that it may use',
    needs: ['generation', 'model:completions', 'backendScript'],
    async run(context) {
      const { maxOutputTokens: max_tokens } = await priceOf(context, 'completions')
      await context.script({ chunks: 1 })
      const forms = ['Once "twice" größe', ['Once'], ['Once', 'twice'], [1, 2, 3], [[1, 2, 3]]]
      for (const prompt of forms) {
        shows('REQ-29')
        const body = { prompt, best_of: 1, echo: false, suffix: context.prompt }
        expectCompletion(await context.request('createCompletion', { body }))
        const { path, body: received } = (await context.received()).at(-1) ?? {}
        const { model: _, max_tokens: cap, ...sent } = parsed(received)
        assert.deepEqual([path, sent], ['/v1/completions', body])
        shows('CRED-09')
        assert.equal(cap, max_tokens, 'the cap was not sent to the backend')
      }
    },
  },

  refusals: {
    rules: ['ERR-03', 'ERR-11', 'ERR-12', 'ERR-13'],
    title: 'POST /completions refuses by the codes of the contract',
    operation: 'createCompletion',
    steps: [
      { name: 'out of scope', key: 'scoped', expect: { error: 'model_not_in_key_scope' }, shows: ['ERR-13'] },
      { name: 'no credit', key: 'poor', expect: { error: 'insufficient_credits' }, shows: ['ERR-11'] },
      { name: 'spend limit', key: 'capped', expect: { error: 'key_spend_limit_reached' }, shows: ['ERR-12'] },
      { name: 'no JSON', text: '{', expect: { status: 400, body: anyError }, shows: { body: ['ERR-03'] } },
      {
        name: 'no such model',
        body: { model: 'absent' },
        expect: { error: 'model_not_found' },
        shows: [],
      },
    ],
  },

  sent: {
    rules: ['REQ-11', 'REQ-12'],
    title: 'A text completion reaches the backend with all its fields, known to the router or not',
    shows: { body: ['REQ-12'], sent: ['REQ-11', 'REQ-12'] },
    backend: { chunks: 3 },
    steps: [
      {
        operation: 'createCompletion',
        body: {
          max_tokens: 9,
          temperature: 0.5,
          stop: ['end'],
          logprobs: 2,
          echo: true,
          suffix: 'after',
          presence_penalty: 0.25,
        },
        expect: {
          body: { choices: { $length: 1 } },
          sent: {
            prompt: '{{prompt}}',
            max_tokens: 9,
            temperature: 0.5,
            stop: ['end'],
            logprobs: 2,
            echo: true,
            suffix: 'after',
            presence_penalty: 0.25,
          },
        },
      },
    ],
  },

  stream: {
    rules: ['EP-10'],
    title: 'A text completion streams by the rules of chat: chunks, one of usage if asked for, [DONE]',
    needs: ['generation', 'model:completions'],
    async run(context) {
      const ask = (body: object = {}) =>
        context.request('createCompletion', { body: { stream: true, ...body } })
      const plain = expectTextStream(await ask())
      assert.notEqual(plain.text, '', 'the stream has no text')
      assert.equal(plain.usage, undefined, 'usage came though it was not asked for')
      assert.ok(
        plain.chunks.every(({ choices, usage }) => choices.length === 1 && !usage),
        'a chunk of usage was left in',
      )
      const asked = expectTextStream(await ask({ stream_options: { include_usage: true } }))
      const [last, ...others] = asked.chunks.toReversed()
      assert.deepEqual(last?.choices, [], 'the last chunk has choices')
      assert.ok(Number.isInteger(last?.usage?.completion_tokens), 'the last chunk tells no usage')
      assert.ok(
        others.length > 0 && others.every(({ usage }) => !usage),
        'usage stands in another chunk as well',
      )
    },
  },

  text: {
    rules: ['EP-09', 'SRV-06', 'REQ-12'],
    title: 'POST /completions asks for a key and continues a text in the form of OpenAI',
    steps: [
      {
        name: 'no key',
        operation: 'createCompletion',
        key: 'none',
        expect: { error: 'invalid_api_key' },
        shows: ['EP-09'],
      },
      {
        name: 'a text',
        operation: 'createCompletion',
        body: { max_tokens: 20, temperature: 0, seed: 7, stop: ['!!'], user: 'somebody' },
        expect: {
          body: {
            object: 'text_completion',
            choices: { $length: 1 },
            usage: {
              prompt_tokens: { $type: 'integer' },
              completion_tokens: { $type: 'integer' },
              total_tokens: { $type: 'integer' },
            },
          },
        },
        shows: { status: ['EP-09', 'SRV-06'], body: ['REQ-12'] },
      },
      {
        name: 'the list of models',
        operation: 'listModels',
        expect: { body: { data: { $type: 'array' } } },
        shows: ['SRV-06'],
      },
    ],
  },

  'too-many-tokens': {
    rules: ['ERR-23'],
    title: 'A prompt of more tokens than the context window holds is told context_length_exceeded',
    needs: ['generation', 'model:completions', 'backendScript'],
    async run(context) {
      const window = await windowOf(context, 'completions')
      // Whichever of the two finds it: the router that reads the tokens, or the backend that refuses them.
      await context.script({
        status: 400,
        error: {
          error: {
            message: `This model's maximum context length is ${window} tokens. Please reduce your prompt.`,
            code: 'context_length_exceeded',
          },
        },
      })
      const prompt = Array.from({ length: window + 1 }, () => 7)
      for (const stream of [false, true]) {
        const body = { prompt, stream, user: context.prompt }
        expectError(await context.request('createCompletion', { body }), 'context_length_exceeded')
      }
    },
  },

  'useless-answers': {
    rules: ['STRM-18'],
    title: 'A 200 that is no text completion is 502 backend_error',
    operation: 'createCompletion',
    expect: { error: 'backend_error', message: untold },
    steps: uselessBodies.map((body) => ({ name: body || 'nothing', backend: { body } })),
  },
} satisfies Topic
