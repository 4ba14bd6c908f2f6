import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/refusals-leave-nothing',
  rules: ['CRED-04', 'HDR-10'],
  title:
    'A refused request has no generation id and leaves nothing: no record, no debit, no hold, nothing sent',
  needs: ['workspace', 'ledger', 'backendScript', 'model:other'],
  async run(context) {
    const account = await context.own({ scope: ['chat'] })
    const refusals = [
      await context.chat({}, { key: null }),
      await context.chat({}, { text: '{' }),
      await context.chat({}, { omit: ['messages'] }),
      await context.chat({ model: 'absent' }),
      await context.chat({ model: context.model('other') }),
      await context.chat({ n: 2 }),
      await context.chat({}, { account: await context.accounts.addKey(account, { spendLimitMicros: 0 }) }),
      await context.chat({}, { account: await context.accounts.addKey(account, { isRevoked: true }) }),
    ]
    for (const refusal of refusals) {
      assert.ok(refusal.status >= 400 && refusal.status < 500, `${refusal.status} is no refusal`)
      assert.equal(refusal.headers['x-router-generation-id'], undefined, 'a refusal names a generation')
    }
    const books = await context.books()
    assert.deepEqual([books.generations, books.holds], [[], []])
    assert.ok(books.entries.every(({ kind }) => kind !== 'generation'))
    assert.deepEqual(await context.received(), [])
  },
})
