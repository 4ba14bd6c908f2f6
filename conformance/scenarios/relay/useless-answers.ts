import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'relay/useless-answers',
  rules: ['STRM-18'],
  title: 'A 200 that is no answer is 502 backend_error, whole or streamed',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const bodies = [
      '<!doctype html>',
      '{"choices":',
      '[]',
      'null',
      '{"error":{"message":"no"}}',
      '{"object":"chat.completion"}',
      '',
    ]
    for (const body of bodies) {
      await context.script({ body })
      for (const stream of [false, true]) {
        const exchange = await context.chat({ stream })
        try {
          expectError(exchange, 'backend_error')
        } catch (error) {
          if (error instanceof assert.AssertionError) error.message = `${body || 'nothing'}: ${error.message}`
          throw error
        }
      }
    }
  },
})
