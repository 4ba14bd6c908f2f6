import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/prompt-counted',
  rules: ['MET-10'],
  title:
    'Without usage a prompt counts a quarter of the bytes of its texts, tool arguments and tool schemas, rounded up',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, usage: 'none' })
    const content = `${context.prompt} Grüße`
    const args = '{"city":"Tōkyō"}'
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: args } }],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'rain' }] },
      { role: 'user', content: [{ type: 'text', text: content }, image] },
    ]
    const { usage } = expectChat(await context.chat({ messages, tools }))
    const bytes = ['Be brief.', args, 'rain', content, JSON.stringify(tools)].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    )
    assert.equal(usage.prompt_tokens, Math.ceil(bytes / 4))
  },
})

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } }
