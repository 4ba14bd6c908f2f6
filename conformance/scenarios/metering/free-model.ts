import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/free-model',
  rules: ['WSP-15', 'CRED-17'],
  title: 'A model that is priced zero serves without credit, and its debits of zero are written',
  needs: ['workspace', 'ledger', 'model:free'],
  async run(context) {
    await context.own({ balanceMicros: 0 })
    const model = context.model('free')
    assert.equal(expectChat(await context.chat({ model })).usage.cost_micros, 0)
    expectStream(await context.chat({ model, stream: true }))
    const { entries, balance_micros: balance } = await context.books()
    assert.equal(entries.filter(({ kind }) => kind === 'generation').length, 2)
    assert.equal(balance, 0)
  },
})
