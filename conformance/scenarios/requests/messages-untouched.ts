import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/messages-untouched',
  rules: ['REQ-27'],
  title: 'Messages reach the backend byte for byte',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    const messages = `[ {"role":"user" ,"content":"\\u0048i ${context.prompt}","n":1.0}, {"role":"user","content":"\\ud83d\\ude80 🚀"} ]`
    const text = `{"messages":${messages},"model":"${context.model()}"}`
    expectStatus(await context.chat({}, { text }), 200)
    const [received] = await context.received()
    assert.ok(received?.body.includes(messages), `the backend received ${received?.body}`)
  },
})
