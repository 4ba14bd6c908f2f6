import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import {
  codeIn,
  expectChat,
  expectError,
  expectModels,
  expectStatus,
  expectSubset,
  listedIds,
} from '../engine/expect.ts'
import { HookRefusal } from '../engine/hooks.ts'
import { expectRefused } from '../engine/refusals.ts'
import type { Topic } from '../engine/topic.ts'

const PREFIX_CHARACTERS = 12

export default {
  format: {
    rules: ['KEY-01'],
    title: 'A key is sk-tee-v1- and the base64url of 32 random bytes',
    needs: ['workspace'],
    async run(context) {
      const { key: own, workspaceId = '' } = await context.own()
      const named = await context.hooks('createKey', { workspace_id: workspaceId, name: 'a-name' })
      const keys = [own, (await context.accounts.open()).key, named.api_key]
      for (const key of keys) {
        assert.match(key, /^sk-tee-v1-[A-Za-z0-9_-]{43}$/)
        const bytes = Buffer.from(key.slice('sk-tee-v1-'.length), 'base64url')
        assert.equal(bytes.length, 32)
        assert.equal(
          bytes.toString('base64url'),
          key.slice('sk-tee-v1-'.length),
          'the last character is not canonical',
        )
        listedIds(await context.request('listModels', { key }))
      }
      assert.equal(new Set(keys).size, keys.length)
    },
  },

  id: {
    rules: ['KEY-15'],
    title: 'A key has an id, key_ and a ULID, and its generations name it',
    needs: ['workspace', 'books'],
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
  },

  'name-length': {
    rules: ['KEY-16'],
    title: 'A name of 1 to 64 characters is taken for a key, no shorter and no longer one',
    needs: ['workspace'],
    subjects: ['router'],
    async run(context) {
      const { workspaceId = '' } = await context.own()
      const isTaken = (name: string) =>
        context.hooks('createKey', { workspace_id: workspaceId, name }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof HookRefusal) return false
            throw error
          },
        )
      for (const name of ['k', 'é'.repeat(64)]) assert.ok(await isTaken(name), `"${name}" is refused`)
      for (const name of ['', 'k'.repeat(65)]) assert.ok(!(await isTaken(name)), `"${name}" is taken`)
    },
  },

  record: {
    rules: ['KEY-20'],
    title: 'The record of a key names its prefix, limits, spending and times, and never the key',
    needs: ['workspace', 'books', 'revokeKey'],
    subjects: ['router'],
    async run(context) {
      const { workspaceId = '' } = await context.own()
      const settings = {
        name: 'a key of many limits',
        model_scope: [context.model()],
        requests_per_minute: 17,
        tokens_per_minute: 1_700_000,
        spend_limit_micros: 4_000_000,
        expires_at: '2999-01-01T00:00:00.000Z',
      }
      const { api_key: key, id } = await context.hooks('createKey', {
        workspace_id: workspaceId,
        ...settings,
      })
      const { usage } = expectChat(await context.chat({}, { key }))
      await context.hooks('revokeKey', { id })
      const { keys } = await context.books()
      const record = keys.find((one) => one.id === id)
      expectSubset(record, {
        ...settings,
        prefix: key.slice(0, 12),
        state: 'revoked',
        spent_micros: usage.cost_micros,
      })
      for (const time of ['created_at', 'revoked_at'])
        assert.ok(!Number.isNaN(Date.parse(String(record?.[time]))), `${time} is no time`)
      assert.ok(record && 'last_used_at' in record, 'nothing says when it was last used')
      assert.ok(!JSON.stringify(record).includes(key), 'the record shows the key')
    },
  },

  revived: {
    rules: ['KEY-23'],
    title: 'An expired key lives again when its end is moved into the future',
    needs: ['workspace', 'updateKey'],
    async run(context) {
      const { keyId: id = '' } = await context.own({ expiresAt: new Date('2020-01-01T00:00:00Z') })
      shows()
      expectRefused(await context.request('listModels'))
      shows('KEY-23')
      await context.hooks('updateKey', { id, expires_at: new Date(Date.now() + 86_400_000).toISOString() })
      expectStatus(await context.request('listModels'), 200)
      await context.hooks('updateKey', { id, expires_at: null })
      expectStatus(await context.chat(), 200)
    },
  },

  'revoked-before-expired': {
    rules: ['KEY-21'],
    title: 'A key that is both revoked and expired is told that it was revoked',
    needs: ['workspace'],
    async run(context) {
      const expiresAt = new Date('2020-01-01T00:00:00Z')
      const account = await context.own({ isRevoked: true, expiresAt })
      shows()
      // Who tells neither cannot tell one before the other.
      for (const [settings, code] of [
        [{ isRevoked: true }, 'api_key_revoked'],
        [{ expiresAt }, 'api_key_expired'],
      ] as const) {
        const other = await context.accounts.addKey(account, settings)
        const asked = [
          await context.request('listModels', { account: other }),
          await context.chat({}, { account: other }),
        ]
        for (const exchange of asked)
          assert.equal(codeIn(exchange), code, `one that is just that is not told ${code}`)
      }
      shows('KEY-21')
      expectError(await context.request('listModels'), 'api_key_revoked')
      expectError(await context.chat(), 'api_key_revoked')
    },
  },

  'revoked-for-good': {
    rules: ['KEY-22'],
    title: 'Revoking is for good, and doing it again keeps the first time',
    needs: ['workspace', 'revokeKey', 'updateKey'],
    async run(context) {
      const { keyId: id = '' } = await context.own()
      shows()
      expectStatus(await context.request('listModels'), 200)
      const first = await context.hooks('revokeKey', { id })
      expectRefused(await context.request('listModels'))
      shows('KEY-22')
      assert.equal(first.state, 'revoked')
      const again = await context.hooks('revokeKey', { id })
      assert.equal(again.revoked_at, first.revoked_at)
      await context.hooks('updateKey', { id, expires_at: new Date(Date.now() + 86_400_000).toISOString() })
      expectRefused(await context.request('listModels'))
    },
  },

  'scope-of-many': {
    rules: ['KEY-17'],
    title: 'The scope of a key is a list, and each model of it may be used',
    needs: ['workspace', 'model:other', 'model:free'],
    async run(context) {
      await context.own({ scope: ['chat', 'other'] })
      expectStatus(await context.chat({ model: context.model('chat') }), 200)
      expectStatus(await context.chat({ model: context.model('other') }), 200)
      expectError(await context.chat({ model: context.model('free') }), 'model_not_in_key_scope')
      const ids = expectModels(await context.request('listModels')).map(({ id }) => id)
      assert.deepEqual(ids.toSorted(), [context.model('chat'), context.model('other')].toSorted())
    },
  },

  scoped: {
    rules: ['KEY-08', 'AUTH-08', 'ERR-13', 'MODL-21'],
    title:
      'A key that is held to some models may use these, and 403 model_not_in_key_scope answers for another',
    needs: ['workspace', 'model:other'],
    async run(context) {
      await context.own({ scope: ['chat'] })
      shows('KEY-08')
      expectStatus(await context.chat(), 200)
      const body = { model: context.model('other') }
      shows('KEY-08', 'AUTH-08', 'ERR-13', 'MODL-21')
      expectError(await context.chat(body), 'model_not_in_key_scope')
      expectError(await context.chat({ ...body, stream: true }), 'model_not_in_key_scope')
    },
  },

  'shown-once': {
    rules: ['KEY-03', 'KEY-04', 'KEY-05', 'KEY-06'],
    title:
      'A key is given its name and shown once, at its creation; later its first 12 characters stand for it, and a lost one is replaced by another',
    needs: ['workspace', 'updateKey', 'revokeKey'],
    subjects: ['router'],
    async run(context) {
      const { workspaceId = '' } = await context.own()
      const name = `name-${context.nonce}`
      const { api_key: lost, id } = await context.hooks('createKey', { workspace_id: workspaceId, name })
      expectStatus(await context.request('listModels', { key: lost }), 200)
      const shown = [await context.hooks('updateKey', { id }), await context.hooks('revokeKey', { id })].map(
        (record) => JSON.stringify(record ?? {}),
      )
      for (const record of shown) {
        shows('KEY-04')
        assert.ok(!record.includes(lost), 'the key is shown again')
        shows('KEY-03')
        assert.ok(record.includes(lost.slice(0, PREFIX_CHARACTERS)), 'its first 12 characters are not shown')
        shows('KEY-06')
        assert.ok(record.includes(name), 'its name is not shown')
      }
      const { api_key: another } = await context.hooks('createKey', { workspace_id: workspaceId, name })
      shows('KEY-05')
      assert.notEqual(another, lost)
      expectStatus(await context.request('listModels', { key: another }), 200)
    },
  },

  states: {
    rules: ['KEY-12'],
    title: 'A key is active, then expired, or revoked',
    needs: ['workspace', 'revokeKey'],
    // How often it asks before the key has expired is chance.
    isCompared: false,
    async run(context) {
      const usual = await context.own()
      expectStatus(await context.request('listModels'), 200)
      const endMs = Date.now() + context.patience(600)
      const account = await context.accounts.addKey(usual, { expiresAt: new Date(endMs) })
      const ask = () => context.request('listModels', { account })
      const early = await ask()
      // A machine may be so busy that its end has come before the answer.
      if (Date.now() < endMs) expectStatus(early, 200)
      await context.eventually('the key expires', async () => {
        const exchange = await ask()
        if (exchange.status === 200) return false
        expectError(exchange, 'api_key_expired')
        return true
      })
      await context.hooks('revokeKey', { id: account.keyId ?? '' })
      expectError(await ask(), 'api_key_revoked')
    },
  },

  unscoped: {
    rules: ['KEY-07'],
    title: 'A key without a scope may use every model',
    needs: ['generation', 'model:other'],
    async run(context) {
      for (const name of ['chat', 'other'] as const) {
        expectChat(await context.chat({ model: context.model(name) }))
      }
    },
  },

  workspace: {
    rules: ['WSP-01', 'SRV-12', 'WSP-02', 'CRED-01'],
    title: 'Two keys of a workspace spend one balance',
    needs: ['workspace', 'debits'],
    async run(context) {
      const first = await context.own({ balanceMicros: 1_000_000 })
      const second = await context.accounts.addKey(first)
      const costs = []
      for (const account of [first, second]) {
        costs.push(expectChat(await context.chat({}, { account })).usage.cost_micros)
      }
      const { balance_micros: balance } = await context.debits()
      shows('WSP-01', 'SRV-12', 'WSP-02', 'CRED-01')
      assert.equal(balance, 1_000_000 - costs[0]! - costs[1]!)
    },
  },
} satisfies Topic
