import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'requests/unknown-fields-streamed',
  rules: ['REQ-11'],
  title: 'A field that the router does not know reaches the backend byte for byte in a stream as well',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    const unknown = '"min_p":0.050,"guided_json":{"b":1,"a":[2.0]},"chat_template_kwargs":{"thinking":true}'
    const text = `{"stream":true,"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],${unknown}}`
    expectStream(await context.chat({}, { text }))
    const [received] = await context.received()
    assert.ok(received?.body.includes(unknown), `the backend received ${received?.body}`)
  },
})
