import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/parallel',
  rules: ['CRED-14', 'CRED-02'],
  title: 'Of many requests at once on credit for one, the balance ends below zero by the cost of one at most',
  needs: ['workspace', 'ledger', 'backendScript'],
  // Which of them are admitted is chance.
  isCompared: false,
  async run(context) {
    await context.own({ balanceMicros: 1 })
    await context.script({ chunks: 3, beforeFirstChunkMs: 100, promptTokens: 1_000, completionTokens: 1_000 })
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => context.chat({ stream: index % 2 === 0 })),
    )
    const admitted = answers.filter(({ status }) => status === 200)
    for (const refusal of answers.filter(({ status }) => status !== 200))
      expectError(refusal, 'insufficient_credits')
    const books = await context.books()
    assert.equal(books.generations.length, admitted.length)
    const cost = Math.max(...books.generations.map(({ cost_micros }) => cost_micros))
    assert.ok(admitted.length > 0, 'all of them were refused')
    assert.ok(books.balance_micros >= 1 - cost, `the balance is ${books.balance_micros}, one costs ${cost}`)
  },
})
