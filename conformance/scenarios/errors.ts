import assert from 'node:assert/strict'
import { errorIn, expectError, expectStatus, generationIdOf } from '../engine/expect.ts'
import { objectOf, textOf } from '../engine/http/exchange.ts'
import { expectFailedStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

/** How long a router may take to find its database again (ours). */
const RECOVERY_MS = 20_000

export default {
  'internal-everywhere': {
    rules: ['ERR-18'],
    title:
      'Every route that needs the database is 500 internal without it, and is well again when it is back',
    needs: ['generation', 'databaseWire', 'model:completions', 'model:embeddings', 'feature:invitations'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const before = await context.chat()
      expectStatus(before, 200)
      const askAll = () =>
        Promise.all([
          context.chat(),
          context.request('createCompletion'),
          context.request('createEmbedding'),
          context.request('listModels'),
          context.request('getModel', { params: { id: context.model() } }),
          context.record(generationIdOf(before)),
          context.request('getInvitation', { key: null, params: { code: '2222-2222-2222' } }),
        ])
      await context.wire('databaseWire').cut()
      try {
        for (const exchange of await askAll()) expectError(exchange, 'internal')
      } finally {
        await context.wire('databaseWire').mend()
      }
      await context.eventually(
        'all of them are served again',
        async () => (await askAll()).every(({ status }) => status === 200 || status === 404),
        RECOVERY_MS,
      )
    },
  },

  'no-prompt': {
    rules: ['ERR-01'],
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
      for (const text of texts) {
        const exchange = await context.chat({}, { text })
        assert.equal(exchange.status, 400, textOf(exchange))
        assert.ok(!textOf(exchange).includes(context.nonce), `the error repeats it: ${textOf(exchange)}`)
      }
    },
  },

  shape: {
    rules: ['ERR-01', 'ERR-02', 'ERR-03'],
    title: 'Every error is JSON in the shape of the error object',
    needs: ['key'],
    async run(context) {
      const refusals = [
        await context.request('listModels', { key: null }),
        await context.request('getModel', { params: { id: 'absent' } }),
        await context.request('getGeneration', { query: { id: 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV' } }),
        await context.chat({}, { text: '{' }),
        await context.chat({}, { omit: ['model'] }),
        await context.chat({ n: 2 }),
        await context.chat({ model: 'absent' }),
      ]
      for (const refusal of refusals) {
        assert.ok(refusal.status >= 400, `${refusal.status} is no error`)
        assert.match(refusal.headers['content-type'] ?? '', /^application\/json\b/)
        const { message, type, code } = errorIn(objectOf(refusal))
        for (const text of [message, type, code]) assert.notEqual(text, '')
      }
    },
  },

  'shape-in-streams': {
    rules: ['ERR-01', 'ERR-36'],
    title: 'An error within a stream has the same shape',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 8, fault: { kind: 'malformed', afterChunks: 3 } })
      const { error } = expectFailedStream(await context.chat({ stream: true }))
      assert.deepEqual(Object.keys(error).toSorted(), ['code', 'message', 'type'])
      assert.equal(error.type, 'upstream_error')
    },
  },
} satisfies Topic
