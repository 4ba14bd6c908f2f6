import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/open-with-token',
  rules: ['PRXY-10'],
  title: 'A listener of the proxy beyond loopback serves whoever presents its token, and nobody else',
  needs: ['key', 'openProxy'],
  subjects: ['proxy'],
  async run(context) {
    const { url: baseUrl = '', token = '' } = context.target.openProxy ?? {}
    const ask = (headers: Readonly<Record<string, string>>) =>
      context.request('listModels', { baseUrl, headers })
    for (const headers of [{}, { 'x-proxy-token': `${token}x` }, { 'x-proxy-token': '' }]) {
      const refused = await ask(headers)
      expectError(refused, 'forbidden_origin')
      assert.equal(refused.headers['x-proxy-verdict'], undefined)
    }
    const served = await ask({ 'x-proxy-token': token })
    expectStatus(served, 200)
    assert.equal(served.headers['x-proxy-verdict'], 'allow')
  },
})
