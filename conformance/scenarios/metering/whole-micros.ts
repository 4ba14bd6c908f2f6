import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/whole-micros',
  rules: ['WSP-04'],
  title: 'Debits are whole micro-dollars',
  needs: ['generation'],
  async run(context) {
    const costs = [expectChat(await context.chat()).usage.cost_micros]
    const { usage } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    costs.push(Number(usage?.cost_micros))
    for (const cost of costs) assert.ok(Number.isInteger(cost) && cost > 0, `${cost} is no whole number`)
  },
})
