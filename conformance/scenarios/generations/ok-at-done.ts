import assert from 'node:assert/strict'
import { recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'generations/ok-at-done',
  rules: ['GEN-09', 'STRM-07'],
  title: 'A streamed generation is ok once its [DONE] was sent',
  needs: ['generation'],
  async run(context) {
    const { chunks } = expectStream(await context.chat({ stream: true }))
    assert.equal(recordIn(await context.record(chunks[0]?.id ?? '')).status, 'ok')
  },
})
