import assert from 'node:assert/strict'
import { expectChat, GENERATION_ID } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/id',
  rules: ['CHAT-02'],
  title: 'The id of an answer is gen- and a ULID, another for each',
  needs: ['generation'],
  async run(context) {
    const ids = [expectChat(await context.chat()).id, expectChat(await context.chat()).id]
    for (const id of ids) assert.match(id, GENERATION_ID)
    assert.notEqual(ids[0], ids[1])
    const { chunks } = expectStream(await context.chat({ stream: true }))
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1, 'the chunks of one stream have several ids')
    assert.match(chunks[0]?.id ?? '', GENERATION_ID)
  },
})
