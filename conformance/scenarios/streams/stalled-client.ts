import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'streams/stalled-client',
  rules: ['STRM-22'],
  title: 'A client that reads nothing for the time allowed is dropped, and its generation is aborted',
  needs: ['workspace', 'ledger', 'backendScript'],
  // How much the sockets on the way take is chance.
  isCompared: false,
  waitsMs: ({ stalledClientMs }) => stalledClientMs * 1.5,
  async run(context) {
    await context.script({ chunks: 400, fields: { filler: 'x'.repeat(300_000) } })
    const call = await context.stream()
    await call.until(({ reads }) => reads.length > 0)
    call.pause()
    const { stalledClientMs } = context.target.limits
    const seen = call.exchange
    await sleep(stalledClientMs)
    const record = await expectAborted(context, seen)
    assert.ok(record.completion_tokens < 400)
  },
})
