import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'errors/shape-in-streams',
  rules: ['ERR-01', 'ERR-36'],
  title: 'An error within a stream has the same shape',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 8, fault: { kind: 'malformed', afterChunks: 3 } })
    const { error } = expectFailedStream(await context.chat({ stream: true }))
    assert.deepEqual(Object.keys(error).toSorted(), ['code', 'message', 'type'])
    assert.equal(error.type, 'upstream_error')
  },
})
