import assert from 'node:assert/strict'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/done',
  rules: ['STRM-04', 'EVT-05'],
  title: 'data: [DONE] ends a stream, and nothing follows it',
  needs: ['generation'],
  async run(context) {
    const exchange = await context.chat({ stream: true })
    expectStream(exchange)
    assert.equal(exchange.ending, 'complete')
    assert.match(textOf(exchange), /\n\ndata: ?\[DONE\]\r?\n\r?\n$/)
  },
})
