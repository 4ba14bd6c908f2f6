import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/cost-is-debit',
  rules: ['CHAT-06', 'MET-04'],
  title: 'usage.cost_micros is what was debited, as one ledger row',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const answer = expectChat(await context.chat())
    const { usage } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    const { entries } = await context.books()
    const debits = entries.filter(({ kind }) => kind === 'generation')
    assert.deepEqual(
      debits.map(({ amount_micros }) => amount_micros),
      [-answer.usage.cost_micros, -Number(usage?.cost_micros)],
    )
    assert.equal(debits[0]?.reference, answer.id)
  },
})
