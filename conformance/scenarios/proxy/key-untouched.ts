import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/key-untouched',
  rules: ['PRXY-01'],
  title: 'Authorization passes the proxy untouched, whatever it holds',
  needs: ['key'],
  subjects: ['proxy'],
  async run(context) {
    const { key } = await context.own()
    for (const authorization of [`bearer  ${key}`, `BEARER ${key}`]) {
      expectStatus(await context.request('listModels', { key: null, headers: { authorization } }), 200)
    }
    const headers = { authorization: 'Basic dXNlcjpwYXNz' }
    expectError(await context.request('listModels', { key: null, headers }), 'invalid_api_key')
  },
})
