import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/id',
  rules: ['KEY-15'],
  title: 'A key has an id, key_ and a ULID, and its generations name it',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const { keyId } = await context.own()
    assert.match(keyId ?? '', /^key_[0-9A-HJKMNP-TV-Z]{26}$/)
    expectStatus(await context.chat(), 200)
    const { generations } = await context.books()
    assert.deepEqual(
      generations.map(({ key_id }) => key_id),
      [keyId],
    )
  },
})
