import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/unknown-fields-odd',
  rules: ['REQ-11'],
  title: 'Unknown fields with odd names and deep values reach the backend byte for byte',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    const deep = `${'{"a":['.repeat(500)}1.0${']}'.repeat(500)}`
    const unknown = `"__proto__":{"n":2},"constructor":{"model":1},"":0,"a b":"\\u0000\\ud800","deep":${deep}`
    const text = `{${unknown},"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}]}`
    for (const more of ['', ',"stream":true']) {
      const body = text.replace(/}$/, `${more}}`)
      expectStatus(await context.chat({}, { text: body }), 200)
    }
    const received = await context.received()
    assert.equal(received.length, 2)
    for (const { body } of received) assert.ok(body.includes(unknown), 'the backend received other bytes')
  },
})
