import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/content-type',
  rules: ['STRM-01', 'EP-03'],
  title: 'A stream has the content type text/event-stream',
  needs: ['generation'],
  async run(context) {
    const exchange = await context.chat({ stream: true })
    expectStatus(exchange, 200)
    assert.match(exchange.headers['content-type'] ?? '', /^text\/event-stream\b/)
    expectStream(exchange)
  },
})
