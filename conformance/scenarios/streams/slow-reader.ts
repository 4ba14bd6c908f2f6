import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'streams/slow-reader',
  rules: ['STRM-21'],
  title: 'A client that does not read slows the backend down',
  needs: ['generation', 'backendScript'],
  // How much the sockets on the way take is chance.
  isCompared: false,
  async run(context) {
    // More than the sockets of every hop can hold.
    const bytes = 300_000
    await context.script({ chunks: 400, fields: { filler: 'x'.repeat(bytes) } })
    const call = await context.stream()
    await call.until(({ reads }) => reads.length > 0)
    call.pause()
    const sent = async () => (await context.received()).at(-1)?.chunksSent ?? 0
    // What the sockets on the way can hold is written at once; then it must stop.
    let before = -1
    const stopped = await context.eventually(
      'the backend is slowed down',
      async () => {
        const now = await sent()
        const isStill = now > 0 && now === before
        before = now
        if (!isStill) await sleep(150)
        return isStill && now
      },
      10_000,
    )
    assert.ok(stopped < 300, `${stopped} of 400 pieces of ${bytes} bytes were taken from the backend unread`)
    call.abort()
  },
})
