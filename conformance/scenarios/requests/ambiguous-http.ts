import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/ambiguous-http',
  rules: ['REQ-61', 'REQ-62'],
  title: 'Two Host or two Authorization headers are a 400, and a head beyond the limit is a 431',
  needs: ['key'],
  subjects: ['router', 'proxy'],
  async run(context) {
    const { host, pathname } = new URL(context.target.baseUrl)
    const head = `GET ${pathname}/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
    for (const more of [`Host: ${host}`, 'Authorization: Bearer a\r\nAuthorization: Bearer b']) {
      const answer = await context.client.raw(`${head}${more}\r\n\r\n`)
      assert.equal(answer.status, 400, more)
    }
    const headers = { 'x-long': 'x'.repeat(20_000) }
    expectError(await context.client.send({ method: 'GET', path: '/models', headers }), 'headers_too_large')
  },
})
