import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'generations/one-record',
  rules: ['SRV-10', 'SRV-11', 'GEN-10', 'EVT-06', 'WSP-05'],
  title: 'An accepted request leaves one record and one debit, whole or streamed',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const ids = [
      expectChat(await context.chat()).id,
      expectStream(await context.chat({ stream: true })).chunks[0]?.id,
    ]
    const { generations, entries } = await context.books()
    assert.deepEqual(
      generations.map(({ id }) => id),
      ids,
    )
    const debits = entries.filter(({ kind }) => kind === 'generation')
    assert.deepEqual(
      debits.map(({ reference }) => reference),
      ids,
    )
    for (const { status } of generations) assert.equal(status, 'ok')
  },
})
