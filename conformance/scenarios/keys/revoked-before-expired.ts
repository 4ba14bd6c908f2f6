import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/revoked-before-expired',
  rules: ['KEY-21'],
  title: 'A key that is both revoked and expired is told that it was revoked',
  needs: ['workspace'],
  async run(context) {
    const account = await context.own({ isRevoked: true, expiresAt: new Date('2020-01-01T00:00:00Z') })
    expectError(await context.request('listModels'), 'api_key_revoked')
    expectError(await context.chat(), 'api_key_revoked')
    const other = await context.accounts.addKey(account, { expiresAt: new Date('2020-01-01T00:00:00Z') })
    expectError(await context.request('listModels', { account: other }), 'api_key_expired')
  },
})
