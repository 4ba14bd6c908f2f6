import { expect, test } from 'vitest'
import { readFor, requestAt } from '../admission/reading.ts'
import { byId, testModel } from '../admission/testing.ts'
import { sizeFallbacks, sizeFor } from './fallbacks.ts'

const pricing = { promptMicros: 1_000_000, completionMicros: 2_000_000 }
const model = testModel({ contextLength: 1_000, maxOutputTokens: 100, pricing, fallbacks: ['other'] })
const other = { ...testModel({ contextLength: 1_000, maxOutputTokens: 50, pricing }), id: 'other' }

function reading(fields: object) {
  return readFor('completions', Buffer.from(JSON.stringify({ model: 'demo', ...fields })), byId(model, other))
}

const read = (fields: object) => requestAt(reading(fields), model)

test.each([
  ['named by the client', { max_tokens: 7 }, 7, undefined],
  ['of the model', {}, 100, 100],
])('each of several prompts may use the cap %s, in bounds and hold alike', (_, fields, cap, sent) => {
  const request = read({ prompt: ['Once', 'upon', 'a time'], ...fields })
  const sized = sizeFor(model, request)
  expect(sized.cap).toEqual({ tokens: cap, sent })
  expect(sized.tokens).toEqual({
    promptBoundTokens: request.prompt.bound,
    outputCapTokens: 3 * cap,
    countedPromptTokens: 4,
  })
  expect(sized.holdMicros).toBe(request.prompt.bound + 2 * 3 * cap)
})

test.each<[fields: object, most: number, sent: number | undefined]>([
  [{ max_tokens: 7, n_predict: 300 }, 300, undefined],
  [{ max_tokens: 7, max_new_tokens: 300, n_predict: 40 }, 300, undefined],
  [{ max_tokens: 7, N_Predict: 300 }, 300, undefined],
  [{ max_tokens: 7, n_predict: -1 }, 1_000, undefined],
  [{ max_tokens: 7, n_predict: '300' }, 1_000, undefined],
  [{ max_tokens: 7, n_predict: 1e300 }, 1_000, undefined],
  [{ max_tokens: 7, extra_body: { max_tokens: 300 } }, 1_000, undefined],
  [{ n_predict: 300 }, 300, 100],
  [{ n_predict: 1 }, 100, 100],
  [{ max_tokens: 7, n_predict: null, max_new_tokens: 0 }, 7, undefined],
])('with %j up to %i tokens are held and billed, and %s is sent', (fields, most, sent) => {
  const sized = sizeFor(model, read({ prompt: 'Once', ...fields }))
  expect(sized.tokens.outputCapTokens).toBe(most)
  expect(sized.cap.sent).toBe(sent)
  expect(sized.holdMicros).toBe(sized.tokens.promptBoundTokens + 2 * most)
})

test('a model that serves in place of another is sized for all prompts too', () => {
  const several = reading({ prompt: ['a', 'b'] })
  const [sized] = sizeFallbacks('completions', model, byId(model, other), (one) => requestAt(several, one))
  expect(sized).toMatchObject({ model: { id: 'other' }, tokens: { outputCapTokens: 2 * 50 } })
})
