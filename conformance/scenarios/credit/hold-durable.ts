import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-durable',
  rules: ['CRED-26'],
  title: 'The hold stands before the backend is called',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ fault: { kind: 'silence' } })
    const call = await context.open('createChatCompletion')
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds, generations, entries } = await context.books()
    assert.equal(holds.length, 1)
    assert.deepEqual(generations, [])
    assert.ok(entries.every(({ kind }) => kind !== 'generation'))
    call.abort()
  },
})
