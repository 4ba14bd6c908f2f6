import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/large-event',
  rules: ['STRM-20'],
  title: 'An event of nearly 1 MiB passes',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const bytes = 1_000_000
    await context.script({ chunks: 4, fault: { kind: 'oversize', afterChunks: 2, bytes } })
    const { text, events } = expectStream(await context.chat({ stream: true }))
    assert.ok(text.endsWith('word4'), 'the stream did not go on after it')
    assert.ok(
      events.some(({ raw }) => raw.length > bytes),
      'the large event did not come',
    )
  },
})
