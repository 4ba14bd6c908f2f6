import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'credit/one-in-flight',
  rules: ['CRED-39', 'CRED-16'],
  title:
    'With a balance of one micro-dollar and one request in flight the next is 402, told to come back in a second',
  needs: ['workspace', 'backendScript'],
  async run(context) {
    await context.own({ balanceMicros: 1 })
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 2), 'the stream did not begin')
    const refused = await context.chat()
    const { message } = expectError(refused, 'insufficient_credits')
    assert.equal(refused.headers['retry-after'], '1')
    assert.match(message, /running|flight|hold|held/i)
    call.abort()
  },
})
