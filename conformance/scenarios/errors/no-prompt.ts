import assert from 'node:assert/strict'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'errors/no-prompt',
  rules: ['ERR-01'],
  title: 'No error repeats anything of a prompt',
  needs: ['key'],
  async run(context) {
    const texts = [
      `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"`,
      `{"messages":[{"role":"user","content":"${context.prompt}"}]}`,
      `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],"n":"${context.nonce}"}`,
      `{"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],"stop":{"${context.nonce}":1}}`,
      `{"model":"${context.model()}","messages":"${context.prompt}"}`,
    ]
    for (const text of texts) {
      const exchange = await context.chat({}, { text })
      assert.equal(exchange.status, 400, textOf(exchange))
      assert.ok(!textOf(exchange).includes(context.nonce), `the error repeats it: ${textOf(exchange)}`)
    }
  },
})
