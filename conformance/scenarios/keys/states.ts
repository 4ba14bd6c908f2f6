import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/states',
  rules: ['KEY-12'],
  title: 'A key is active, then expired, or revoked',
  needs: ['workspace', 'revokeKey'],
  // How often it asks before the key has expired is chance.
  isCompared: false,
  async run(context) {
    const soonMs = context.patience(600)
    const account = await context.own({ expiresAt: new Date(Date.now() + soonMs) })
    expectStatus(await context.request('listModels'), 200)
    await context.eventually('the key expires', async () => {
      const exchange = await context.request('listModels')
      if (exchange.status === 200) return false
      expectError(exchange, 'api_key_expired')
      return true
    })
    await context.hooks('revokeKey', { id: account.keyId ?? '' })
    expectError(await context.request('listModels'), 'api_key_revoked')
  },
})
