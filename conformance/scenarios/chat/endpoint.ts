import assert from 'node:assert/strict'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'chat/endpoint',
  rules: ['CHAT-07'],
  title: 'usage.endpoint is the endpoint of the router that served the request',
  needs: ['generation', 'endpoint:own'],
  async run(context) {
    const { usage } = expectChat(await context.chat())
    assert.equal(usage.endpoint, context.target.endpoints.own)
    const record = recordIn(await context.record(expectChat(await context.chat()).id))
    assert.equal(record.endpoint, context.target.endpoints.own)
  },
})
