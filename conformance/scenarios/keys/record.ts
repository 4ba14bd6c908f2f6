import assert from 'node:assert/strict'
import { expectChat, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/record',
  rules: ['KEY-20'],
  title: 'The record of a key names its prefix, limits, spending and times, and never the key',
  needs: ['workspace', 'ledger', 'revokeKey'],
  subjects: ['router'],
  async run(context) {
    const { workspaceId = '' } = await context.own()
    const settings = {
      name: 'a key of many limits',
      model_scope: [context.model()],
      requests_per_minute: 17,
      tokens_per_minute: 1_700_000,
      spend_limit_micros: 4_000_000,
      expires_at: '2999-01-01T00:00:00.000Z',
    }
    const { api_key: key, id } = await context.hooks('createKey', { workspace_id: workspaceId, ...settings })
    const { usage } = expectChat(await context.chat({}, { key }))
    await context.hooks('revokeKey', { id })
    const { keys } = await context.books()
    const record = keys.find((one) => one.id === id)
    expectSubset(record, {
      ...settings,
      prefix: key.slice(0, 12),
      state: 'revoked',
      spent_micros: usage.cost_micros,
    })
    for (const time of ['created_at', 'revoked_at'])
      assert.ok(!Number.isNaN(Date.parse(String(record?.[time]))), `${time} is no time`)
    assert.ok(record && 'last_used_at' in record, 'nothing says when it was last used')
    assert.ok(!JSON.stringify(record).includes(key), 'the record shows the key')
  },
})
