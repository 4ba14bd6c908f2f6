import assert from 'node:assert/strict'
import { costMicros } from '../../engine/books.ts'
import { expectChat, expectError } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/fallback-model',
  rules: ['RLAY-16'],
  title:
    'Where a model names another to serve in its place, answer, record and price are those of the one that served',
  needs: ['workspace', 'ledger', 'backendScript', 'model:unserved', 'model:standIn'],
  async run(context) {
    const [model, other] = [context.model('unserved'), context.model('standIn')]
    const prices = await priceOf(context, 'standIn')
    await context.script({ chunks: 3, promptTokens: 100, completionTokens: 300 })
    const answer = expectChat(await context.chat({ model }))
    const { chunks } = expectStream(await context.chat({ model, stream: true }))
    assert.deepEqual([answer.model, chunks[0]?.model], [other, other])
    const cost = costMicros({ promptTokens: 100, completionTokens: 300 }, prices)
    assert.equal(answer.usage.cost_micros, cost)
    const { generations, holds } = await context.books()
    assert.deepEqual(holds, [])
    for (const record of generations) assert.deepEqual([record.model, record.cost_micros], [other, cost])
    assert.equal(generations.length, 2)
    // A key that may not use the other one is told of the failure, and nothing is sent.
    const sent = (await context.received()).length
    const account = await context.accounts.open({ scope: ['unserved'] })
    expectError(await context.chat({ model }, { account }), 'backend_unavailable')
    assert.equal((await context.received()).length, sent)
  },
})
