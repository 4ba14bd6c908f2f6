import assert from 'node:assert/strict'
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
    for (const [more, status] of [
      [`Host: ${host}\r\n`, 400],
      ['Authorization: Bearer a\r\nAuthorization: Bearer b\r\n', 400],
      [`X-Long: ${'x'.repeat(20_000)}\r\n`, 431],
    ] as const) {
      const answer = await context.client.raw(`${head}${more}\r\n`)
      assert.equal(answer.status, status, more.slice(0, 40))
    }
  },
})
