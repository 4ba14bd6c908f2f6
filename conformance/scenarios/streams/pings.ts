import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/pings',
  rules: ['STRM-02', 'LIM-14', 'EVT-03'],
  title: 'While the first token is awaited, a comment line : ping goes out in each interval',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 6,
  async run(context) {
    const { pingMs, firstByteMs } = context.target.limits
    // On a busy machine an interval may be late; so may the backend, and it has to come in time.
    const leastMs = pingMs * 2.4
    const waitMs = Math.max(leastMs, Math.min(leastMs + context.patience(pingMs * 0.8), firstByteMs / 2))
    await context.script({ chunks: 2, beforeFirstChunkMs: waitMs })
    const exchange = await context.chat({ stream: true })
    const { pings } = expectStream(exchange)
    assert.ok(pings.length >= 2, `${pings.length} pings came in ${waitMs} ms`)
    for (const { comments } of pings) assert.deepEqual(comments, [': ping'])
    assert.ok(pings.length <= exchange.endMs / pingMs + 1, `${pings.length} in ${exchange.endMs} ms`)
    const firstMs = pings[0]!.atMs
    assert.ok(firstMs > pingMs * 0.5, `the first ping came after ${firstMs} ms already`)
    assert.ok(firstMs < pingMs + context.patience(pingMs), `the first ping came after ${firstMs} ms`)
  },
})
