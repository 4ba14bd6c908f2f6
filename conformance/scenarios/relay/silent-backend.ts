import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/silent-backend',
  rules: ['RLAY-05', 'RLAY-06'],
  title: 'A backend that does not answer within the time for its first byte is 502 backend_unavailable',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ firstByteMs }) => firstByteMs * 1.2,
  async run(context) {
    await context.script({ fault: { kind: 'silence' } })
    const { firstByteMs, pingMs } = context.target.limits
    const [whole, streamed] = await Promise.all([context.chat(), context.chat({ stream: true })])
    expectError(whole, 'backend_unavailable')
    assert.ok(whole.endMs >= firstByteMs * 0.9, `it was given up after ${whole.endMs} ms`)
    if (pingMs < firstByteMs) assert.equal(expectFailedStream(streamed).error.code, 'backend_unavailable')
    else expectError(streamed, 'backend_unavailable')
  },
})
