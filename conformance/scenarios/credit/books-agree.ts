import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/books-agree',
  rules: ['WSP-16'],
  title: 'Ledger, records, balances and holds of all workspaces agree',
  needs: ['workspace', 'verifyLedger'],
  async run(context) {
    expectChat(await context.chat())
    const { workspaceId } = await context.own()
    const { differences } = await context.hooks('verifyLedger', {})
    assert.deepEqual(
      differences.filter((difference) => difference.workspace_id === workspaceId),
      [],
    )
  },
})
