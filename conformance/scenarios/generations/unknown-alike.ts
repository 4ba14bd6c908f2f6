import assert from 'node:assert/strict'
import { expectChat, expectError, generationIdOf } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'generations/unknown-alike',
  rules: ['GEN-23'],
  title: 'Another workspace, an unknown id and a running generation are the same 404 not_found',
  needs: ['workspace', 'backendScript'],
  async run(context) {
    const foreign = await context.accounts.open()
    const { id } = expectChat(await context.chat({}, { account: foreign }))
    await context.script({ chunks: 50, fault: { kind: 'stall', afterChunks: 2 } })
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) >= 2), 'the stream did not begin')
    const answers = []
    for (const one of [id, 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV', generationIdOf(call.exchange), 'nonsense']) {
      const exchange = await context.record(one)
      expectError(exchange, 'not_found')
      answers.push(textOf(exchange))
    }
    assert.equal(new Set(answers).size, 1, 'the answers can be told apart')
    call.abort()
  },
})
