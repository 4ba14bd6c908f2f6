import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { limitHeaders } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/key-requests',
  rules: ['KEY-09', 'LIM-03', 'LIM-10', 'ERR-16', 'ERR-17', 'HDR-06'],
  title:
    'A key with requests per minute of its own is 429 beyond them, with the four headers, and others are not',
  needs: ['workspace', 'feature:rate-limits'],
  async run(context) {
    const own = await context.own({ requestsPerMinute: 2 })
    for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
    for (const stream of [false, true]) {
      const refused = await context.chat({ stream })
      expectError(refused, 'rate_limit_exceeded')
      for (const name of limitHeaders) assert.ok(refused.headers[name], `the 429 has no ${name}`)
    }
    const usual = await context.accounts.addKey(own)
    for (let turn = 0; turn < 3; turn++) expectStatus(await context.chat({}, { account: usual }), 200)
  },
})
