import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/refused-sends-nothing',
  rules: ['ERR-24', 'CRED-15'],
  title: 'A refusal for credit sends nothing and books nothing',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.own({ balanceMicros: 0 })
    expectError(await context.chat(), 'insufficient_credits')
    expectError(await context.chat({ stream: true }), 'insufficient_credits')
    assert.deepEqual(await context.received(), [])
    const { generations, holds, entries } = await context.books()
    assert.deepEqual([generations, holds, entries], [[], [], []])
  },
})
