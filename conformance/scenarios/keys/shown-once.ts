import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

const PREFIX_CHARACTERS = 12

export default define({
  id: 'keys/shown-once',
  rules: ['KEY-03', 'KEY-04', 'KEY-05', 'KEY-06'],
  title:
    'A key is given its name and shown once, at its creation; later its first 12 characters stand for it, and a lost one is replaced by another',
  needs: ['workspace', 'ledger', 'updateKey', 'revokeKey'],
  subjects: ['router'],
  async run(context) {
    const { workspaceId = '' } = await context.own()
    const name = `name-${context.nonce}`
    const { api_key: lost, id } = await context.hooks('createKey', { workspace_id: workspaceId, name })
    expectStatus(await context.request('listModels', { key: lost }), 200)
    const shown = [
      (await context.books()).keys.find((key) => key.id === id),
      await context.hooks('updateKey', { id }),
      await context.hooks('revokeKey', { id }),
    ].map((record) => JSON.stringify(record ?? {}))
    for (const record of shown) {
      assert.ok(!record.includes(lost), 'the key is shown again')
      assert.ok(record.includes(lost.slice(0, PREFIX_CHARACTERS)), 'its first 12 characters are not shown')
      assert.ok(record.includes(name), 'its name is not shown')
    }
    const { api_key: another } = await context.hooks('createKey', { workspace_id: workspaceId, name })
    assert.notEqual(another, lost)
    expectStatus(await context.request('listModels', { key: another }), 200)
  },
})
