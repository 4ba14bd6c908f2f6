import assert from 'node:assert/strict'
import { expectChat, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/of-workspace',
  rules: ['WSP-03'],
  title: 'Generations belong to a workspace, whichever of its keys made them',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const first = await context.own()
    const second = await context.accounts.addKey(first)
    const { id } = expectChat(await context.chat({}, { account: second }))
    expectStatus(await context.record(id, first), 200)
    assert.deepEqual(
      (await context.books()).generations.map((generation) => generation.id),
      [id],
    )
  },
})
