import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/tool-calls',
  rules: ['CHAT-01'],
  title: 'Tool calls come as the model makes them, whole and in pieces',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ toolCalls: [{ name: 'look', arguments: ['{"city":', '"Paris"}'] }] })
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const { message, finish_reason: reason } = expectChat(await context.chat({ tools })).choices[0] ?? {}
    assert.deepEqual(message?.tool_calls?.[0]?.function, { name: 'look', arguments: '{"city":"Paris"}' })
    assert.equal(reason, 'tool_calls')
    const { chunks } = expectStream(await context.chat({ tools, stream: true }))
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    assert.equal(pieces.map((piece) => piece.function?.arguments ?? '').join(''), '{"city":"Paris"}')
    assert.equal(pieces[0]?.function?.name, 'look')
  },
})
