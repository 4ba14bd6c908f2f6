import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/no-event-field',
  rules: ['STRM-13'],
  title: 'No event has an event field, and none has empty data',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: ['', 'a', '', 'b'] })
    for (const options of [{}, { stream_options: { include_usage: true } }]) {
      const { events } = expectStream(await context.chat({ stream: true, ...options }))
      for (const { fields, data, raw } of events) {
        assert.ok(!fields.includes('event'), `an event has a name: ${raw}`)
        assert.notEqual(data?.trim(), '', 'an event has empty data')
      }
    }
  },
})
