import { expectError, expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/changed',
  rules: ['CRED-20'],
  title: 'Other limits of a key hold within a second, the end of its validity at once',
  needs: ['workspace', 'updateKey', 'feature:rate-limits'],
  // How often it is asked until then is chance.
  isCompared: false,
  async run(context) {
    const { keyId: id = '' } = await context.own({ requestsPerMinute: 1 })
    expectStatus(await context.chat(), 200)
    expectLimited(await context.chat(), 1)
    await context.hooks('updateKey', { id, requests_per_minute: 100_000 })
    await context.eventually(
      'the new limit holds',
      async () => {
        const exchange = await context.chat()
        if (exchange.status !== 200) expectLimited(exchange)
        return exchange.status === 200
      },
      1_000,
    )
    await context.hooks('updateKey', { id, expires_at: '2020-01-01T00:00:00Z' })
    expectError(await context.chat(), 'api_key_expired')
    await context.hooks('updateKey', { id, expires_at: null })
    expectStatus(await context.chat(), 200)
  },
})
