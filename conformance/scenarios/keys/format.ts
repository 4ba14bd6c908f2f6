import assert from 'node:assert/strict'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/format',
  rules: ['KEY-01'],
  title: 'A key is sk-tee-v1- and the base64url of 32 random bytes',
  needs: ['workspace'],
  async run(context) {
    const accounts = [await context.own(), await context.accounts.open(), await context.accounts.open()]
    for (const { key } of accounts) {
      assert.match(key, /^sk-tee-v1-[A-Za-z0-9_-]{43}$/)
      const bytes = Buffer.from(key.slice('sk-tee-v1-'.length), 'base64url')
      assert.equal(bytes.length, 32)
      assert.equal(
        bytes.toString('base64url'),
        key.slice('sk-tee-v1-'.length),
        'the last character is not canonical',
      )
      assert.equal(objectOf(await context.request('listModels', { key })).object, 'list')
    }
    assert.equal(new Set(accounts.map(({ key }) => key)).size, accounts.length)
  },
})
