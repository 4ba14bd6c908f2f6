import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'authentication/revoked-between-requests',
  rules: ['AUTH-16'],
  title: 'A key is refused from the request after its revocation on, on every path',
  needs: ['workspace', 'revokeKey'],
  async run(context) {
    const account = await context.own()
    expectStatus(await context.request('listModels'), 200)
    expectStatus(await context.chat(), 200)
    await context.hooks('revokeKey', { id: account.keyId ?? '' })
    expectError(await context.chat(), 'api_key_revoked')
    expectError(await context.chat({ stream: true }), 'api_key_revoked')
    expectError(await context.request('listModels'), 'api_key_revoked')
    expectError(await context.record('gen-01ARZ3NDEKTSV4RRFFQ69G5FAV'), 'api_key_revoked')
  },
})
