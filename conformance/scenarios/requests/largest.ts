import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/largest',
  rules: ['REQ-43'],
  title: 'A body of just the limit is taken',
  needs: ['generation'],
  // A megabyte a second, for targets with a large limit.
  waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
  async run(context) {
    const { maxBodyBytes } = context.target.limits
    const text = (padding: string) =>
      JSON.stringify({
        model: context.model(),
        messages: [{ role: 'user', content: context.prompt }],
        padding,
      })
    const largest = text('x'.repeat(maxBodyBytes - Buffer.byteLength(text(''))))
    assert.equal(Buffer.byteLength(largest), maxBodyBytes)
    expectChat(await context.chat({}, { text: largest }))
    expectChat(await context.chat({}, { text: largest, isChunked: true }))
  },
})
