import { expectError, expectStatus, generationIdOf } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'errors/internal-everywhere',
  rules: ['ERR-18'],
  title: 'Every route that needs the database is 500 internal without it, and is well again when it is back',
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
})

/** How long a router may take to find its database again (ours). */
const RECOVERY_MS = 20_000
