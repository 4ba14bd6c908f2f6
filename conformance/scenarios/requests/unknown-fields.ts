import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/unknown-fields',
  rules: ['REQ-11'],
  title: 'A field that the router does not know reaches the backend byte for byte',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    const unknown =
      '"big":12345678901234567890,"one":1.0,"exp":1E+2,"esc":"\\u00fc\\/","x":{"ü":[1.50,null],"model":"inner"}'
    const text = `{"model":"${context.model()}",${unknown},"messages":[{"role":"user","content":"${context.prompt}"}]}`
    expectStatus(await context.chat({}, { text }), 200)
    const [received] = await context.received()
    assert.ok(received?.body.includes(unknown), `the backend received ${received?.body}`)
  },
})
