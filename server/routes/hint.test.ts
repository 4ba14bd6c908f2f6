import { expect, test } from 'vitest'
import { hintFor } from './hint.ts'

test.each([
  ['/v1/responses', 'POST /v1/chat/completions, '],
  ['/v1/responses', 'GET /v1/models/{id}, '],
  ['/', 'POST /v1/embeddings'],
  ['/v1', 'POST /v1/completions'],
  ['/v1/invites/', 'GET /v1/invites/{code}'],
  ['/v1/chat/completions', '/v1/chat/completions takes POST.'],
  ['/v1/models/a/b', '/v1/models/{id} takes GET.'],
  ['/v1/v1/chat/completions', '/v1 stands in it twice'],
  ['/v1/models/', 'leave out the slash at its end'],
  ['/chat/completions', 'the API lies under /v1'],
  ['/models/', 'the API lies under /v1'],
])('whoever asks for %s in vain is told: %s', (path, hint) => {
  expect(hintFor(path)).toContain(hint)
})

test('only what the router itself serves is named', () => {
  expect(hintFor('/nowhere')).not.toContain('well-known')
})
