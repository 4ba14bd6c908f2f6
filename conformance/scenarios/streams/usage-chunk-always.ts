import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/usage-chunk-always',
  rules: ['STRM-03', 'REQ-05'],
  title: 'The usage chunk that a client asked for comes whatever the backend said of its usage',
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const usage of ['none', 'zero', 'malformed']) {
      await context.script({ chunks: 3, usage })
      const stream = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      const last = stream.chunks.at(-1)
      assert.deepEqual(last?.choices, [], `no usage chunk came where the backend's usage is ${usage}`)
      assert.ok(
        Number.isInteger(last?.usage?.completion_tokens),
        `it tells no usage where the backend's is ${usage}`,
      )
    }
  },
})
