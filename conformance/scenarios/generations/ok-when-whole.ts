import assert from 'node:assert/strict'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/ok-when-whole',
  rules: ['GEN-08'],
  title: 'A generation without a stream is ok once its response is finished',
  needs: ['generation'],
  async run(context) {
    const { id } = expectChat(await context.chat())
    assert.equal(recordIn(await context.record(id)).status, 'ok')
  },
})
