import assert from 'node:assert/strict'
import { errorIn } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'errors/shape',
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
})
