import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/too-large-elsewhere',
  rules: ['REQ-44'],
  title: 'Text completions and embeddings take no larger body than chat does',
  needs: ['key', 'model:completions', 'feature:embeddings', 'model:embeddings'],
  // A megabyte a second, for targets with a large limit.
  waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
  async run(context) {
    const body = { padding: 'x'.repeat(context.target.limits.maxBodyBytes) }
    for (const operation of ['createCompletion', 'createEmbedding'] as const) {
      expectError(await context.request(operation, { body }), 'request_too_large')
      expectError(await context.request(operation, { body, isChunked: true }), 'request_too_large')
    }
  },
})
