import assert from 'node:assert/strict'
import { generationIdOf, recordIn } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/closed-after-done',
  rules: ['GEN-17', 'GEN-25', 'STRM-07'],
  title: 'Whoever closes right after reading [DONE] has an ok record',
  needs: ['generation'],
  // Whether the end of the answer is seen before it is left is chance.
  isCompared: false,
  async run(context) {
    const call = await context.stream()
    assert.ok(await call.until((soFar) => textOf(soFar).includes('data: [DONE]')), 'the stream did not end')
    call.abort()
    const id = generationIdOf(call.exchange)
    const status = await context.eventually('the record', async () => {
      const exchange = await context.record(id)
      return exchange.status === 200 && recordIn(exchange).status
    })
    assert.equal(status, 'ok')
  },
})
