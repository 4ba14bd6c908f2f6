import assert from 'node:assert/strict'
import { generationIdOf } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/every-outcome',
  rules: ['SRV-09', 'GEN-03'],
  title: 'However an accepted request ends, it leaves one record and one debit that agree',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    const outcomes = [
      { chunks: 3 },
      { chunks: 3, usage: 'none' },
      { status: 500 },
      { status: 429 },
      { status: 404 },
      { status: 400 },
      { chunks: 6, fault: { kind: 'cut', afterChunks: 2 } },
      { chunks: 6, fault: { kind: 'malformed', afterChunks: 2 } },
      { fault: { kind: 'refuse' } },
      { body: '<!doctype html>' },
    ]
    for (const outcome of outcomes) {
      await context.script(outcome)
      for (const stream of [false, true]) generationIdOf(await context.chat({ stream }))
    }
    const { generations, entries } = await context.books()
    assert.equal(generations.length, outcomes.length * 2)
    assert.equal(entries.filter(({ kind }) => kind === 'generation').length, outcomes.length * 2)
  },
})
