import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/spend-limit-in-parallel',
  rules: ['CRED-24'],
  title: 'Of many requests at once on a spend limit for one, the key overshoots by one at most',
  needs: ['workspace', 'backendScript'],
  // Which of them is admitted is chance.
  isCompared: false,
  async run(context) {
    await context.own({ spendLimitMicros: 1 })
    await context.script({ chunks: 3, beforeFirstChunkMs: 100 })
    const answers = await Promise.all(Array.from({ length: 16 }, () => context.chat()))
    const admitted = answers.filter(({ status }) => status === 200)
    for (const refusal of answers.filter(({ status }) => status !== 200))
      expectError(refusal, 'key_spend_limit_reached')
    assert.equal(admitted.length, 1)
  },
})
