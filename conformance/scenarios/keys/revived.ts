import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/revived',
  rules: ['KEY-23'],
  title: 'An expired key lives again when its end is moved into the future',
  needs: ['workspace', 'updateKey'],
  async run(context) {
    const { keyId: id = '' } = await context.own({ expiresAt: new Date('2020-01-01T00:00:00Z') })
    expectError(await context.request('listModels'), 'api_key_expired')
    await context.hooks('updateKey', { id, expires_at: new Date(Date.now() + 86_400_000).toISOString() })
    expectStatus(await context.request('listModels'), 200)
    await context.hooks('updateKey', { id, expires_at: null })
    expectStatus(await context.chat(), 200)
  },
})
