import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/too-large',
  rules: ['REQ-44'],
  title: 'A body beyond the limit answers 413 request_too_large, declared or not',
  needs: ['key'],
  // A megabyte a second, for targets with a large limit.
  waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
  async run(context) {
    const { maxBodyBytes } = context.target.limits
    const body = { padding: 'x'.repeat(maxBodyBytes) }
    expectError(await context.chat(body), 'request_too_large')
    expectError(await context.chat(body, { isChunked: true }), 'request_too_large')
    expectError(await context.chat({ ...body, stream: true }), 'request_too_large')
  },
})
