import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/no-content',
  rules: ['GEN-06', 'EP-15', 'SRV-15'],
  title: 'Nothing that was said is part of a record',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const answer = `answer-${context.random.word(12)}`
    await context.script({ chunks: [answer] })
    const { id } = expectChat(await context.chat({ user: `user-${context.nonce}` }))
    const record = textOf(await context.record(id))
    assert.ok(record.includes(id), 'the record is not that of the generation')
    assert.ok(!record.includes(context.nonce), 'the record holds text of the request')
    assert.ok(!record.includes(answer), 'the record holds text of the answer')
  },
})
