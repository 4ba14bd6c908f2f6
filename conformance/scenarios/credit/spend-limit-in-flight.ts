import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'credit/spend-limit-in-flight',
  rules: ['CRED-24'],
  title: 'What runs counts towards the spend limit of its key',
  needs: ['workspace', 'backendScript'],
  async run(context) {
    await context.own({ spendLimitMicros: 1 })
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 2), 'the stream did not begin')
    expectError(await context.chat(), 'key_spend_limit_reached')
    call.abort()
  },
})
