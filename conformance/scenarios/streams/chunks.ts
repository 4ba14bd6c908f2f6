import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/chunks',
  rules: ['STRM-08', 'EVT-01'],
  title: 'Each event of a chat is data and a chat.completion.chunk',
  needs: ['generation'],
  async run(context) {
    const { events, chunks } = expectStream(await context.chat({ stream: true }))
    for (const { data, comments } of events)
      assert.ok(data !== undefined || comments.length > 0, 'an event has neither')
    for (const { object } of chunks) assert.equal(object, 'chat.completion.chunk')
    assert.equal(events.filter(({ data }) => data !== undefined).length, chunks.length + 1)
  },
})
