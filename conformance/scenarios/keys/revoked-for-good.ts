import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/revoked-for-good',
  rules: ['KEY-22'],
  title: 'Revoking is for good, and doing it again keeps the first time',
  needs: ['workspace', 'revokeKey', 'updateKey'],
  async run(context) {
    const { keyId: id = '' } = await context.own()
    const first = await context.hooks('revokeKey', { id })
    assert.equal(first.state, 'revoked')
    const again = await context.hooks('revokeKey', { id })
    assert.equal(again.revoked_at, first.revoked_at)
    await context.hooks('updateKey', { id, expires_at: new Date(Date.now() + 86_400_000).toISOString() })
    expectError(await context.request('listModels'), 'api_key_revoked')
  },
})
