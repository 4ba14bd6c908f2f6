import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/prompt-by-tokenizer',
  rules: ['MET-10'],
  title: 'Without usage a prompt counts as the backend’s tokenizer says, where one is configured',
  needs: ['generation', 'backendScript', 'model:tokenized'],
  async run(context) {
    const body = {
      model: context.model('tokenized'),
      messages: [{ role: 'user', content: `${context.prompt} ${'a '.repeat(99)}` }],
    }
    await context.script({ chunks: 1 })
    const told = expectChat(await context.chat(body)).usage.prompt_tokens
    await context.script({ chunks: 1, usage: 'none' })
    assert.equal(expectChat(await context.chat(body)).usage.prompt_tokens, told)
  },
})
