import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { errorIn, expectError, expectStatus, generationIdOf } from '../engine/expect.ts'
import { objectOf, textOf } from '../engine/http/exchange.ts'
import { NOT_THE_KEY } from '../engine/refusals.ts'
import { expectFailedStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

/** How long a router may take to find its database again (ours). */
const RECOVERY_MS = 20_000

export default {
  'internal-everywhere': {
    rules: ['ERR-18'],
    title: 'What cannot be served without the database is 500 internal, and is well again when it is back',
    needs: ['generation', 'databaseWire', 'model:completions'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const before = await context.chat()
      expectStatus(before, 200)
      const { features } = context.target
      const askAll = () =>
        Promise.all([
          context.chat(),
          context.request('createCompletion'),
          context.request('listModels'),
          context.request('getModel', { params: { id: context.model() } }),
          context.record(generationIdOf(before)),
          // What is left out is not asked for.
          ...(features.has('embeddings') ? [context.request('createEmbedding')] : []),
          ...(features.has('invitations')
            ? [context.request('getInvitation', { key: null, params: { code: '2222-2222-2222' } })]
            : []),
        ])
      await context.wire('databaseWire').cut()
      try {
        const answers = await askAll()
        // Which routes need it is left open; that nothing is generated unmetered is not.
        expectError(answers[0], 'internal')
        for (const exchange of answers) if (exchange.status >= 500) expectError(exchange, 'internal')
      } finally {
        await context.wire('databaseWire').mend()
      }
      await context.eventually(
        'all of them are served again',
        async () => (await askAll()).every(({ status }) => status < 500),
        RECOVERY_MS,
      )
    },
  },

  'no-prompt': {
    rules: ['ERR-49'],
    title: 'No error repeats anything of a prompt',
    needs: ['key'],
    async run(context) {
      const texts = [
        `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"`,
        `{"messages":[{"role":"user","content":"${context.prompt}"}]}`,
        `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],"n":"${context.nonce}"}`,
        `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],"stop":{"${context.nonce}":1}}`,
        `{"model":"${context.model()}","messages":"${context.prompt}"}`,
      ]
      let errors = 0
      for (const text of texts) {
        const exchange = await context.chat({}, { text })
        // Which of them are errors is a matter of other rules.
        if (exchange.status < 400) continue
        // Who says of every key that it is wrong has refused none of them.
        if (exchange.status !== 401) errors += 1
        assert.ok(!textOf(exchange).includes(context.nonce), `the error repeats it: ${textOf(exchange)}`)
      }
      shows()
      assert.ok(errors > 0, 'none of them is an error')
    },
  },

  shape: {
    rules: ['ERR-01', 'ERR-02', 'ERR-03'],
    title: 'Every error is JSON in the shape of the error object',
    needs: ['key'],
    async run(context) {
      const answers = [
        await context.request('listModels', { key: null }),
        await context.request('getModel', { params: { id: 'absent' } }),
        await context.request('getGeneration', { query: { id: 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV' } }),
        await context.chat({}, { text: '{' }),
        await context.chat({}, { omit: ['model'] }),
        await context.chat({ n: 2 }),
        await context.chat({ model: 'absent' }),
      ]
      // Whether each of them is refused is what other scenarios show.
      const refusals = answers.filter(({ status }) => status >= 400)
      shows()
      assert.ok(refusals.length > 0, 'nothing is refused')
      assert.ok(
        refusals.some(({ status }) => status !== 401),
        NOT_THE_KEY,
      )
      // That it is JSON is told of all of them, whatever stands in it.
      shows('ERR-02')
      const bodies = refusals.map((refusal) => {
        assert.match(refusal.headers['content-type'] ?? '', /^application\/([\w.-]+\+)?json\b/i)
        return objectOf(refusal)
      })
      shows('ERR-01', 'ERR-03')
      for (const body of bodies) {
        const { message, type, code } = errorIn(body)
        for (const text of [message, type, code]) assert.notEqual(text, '')
      }
    },
  },

  'param-left-out': {
    rules: ['ERR-50'],
    title: 'An error that names no field has no param',
    needs: ['key'],
    async run(context) {
      const answers = [
        { code: 'invalid_api_key', exchange: await context.request('listModels', { key: null }) },
        { code: 'invalid_json', exchange: await context.chat({}, { text: '{' }) },
      ]
      for (const { code, exchange } of answers) {
        // Another code may name a field: which one it is other scenarios show.
        shows()
        assert.equal(errorIn(objectOf(exchange)).code, code)
        shows('ERR-50')
        const { param } = Object(objectOf(exchange).error)
        assert.equal(param, undefined, `the param of ${code} is ${JSON.stringify(param)}`)
      }
    },
  },

  'shape-in-streams': {
    rules: ['ERR-01', 'ERR-36'],
    title: 'An error within a stream has the same shape',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
      const exchange = await context.chat({ stream: true })
      // What fails before a stream has begun is told otherwise.
      assert.equal(exchange.status, 200, 'no stream has begun')
      shows('ERR-36')
      expectFailedStream(exchange)
      shows('ERR-01')
      const { error } = expectFailedStream(exchange)
      for (const text of [error.message, error.type, error.code]) assert.notEqual(text, '')
    },
  },
} satisfies Topic
