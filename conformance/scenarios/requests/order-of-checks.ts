import assert from 'node:assert/strict'
import type { ErrorCode } from '#contract/errors'
import { expectError } from '../../engine/expect.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/order-of-checks',
  rules: ['REQ-20', 'REQ-21'],
  title: 'Of two mistakes the one that is checked first is told',
  needs: ['workspace', 'model:other'],
  async run(context) {
    const account = await context.own({ scope: ['chat'], balanceMicros: 0 })
    const revoked = await context.accounts.addKey(account, { isRevoked: true })
    const other = context.model('other')
    const cases: readonly [string, ErrorCode, () => Promise<Exchange>][] = [
      ['no key, no JSON', 'invalid_api_key', () => context.chat({}, { key: null, text: '{' })],
      ['a revoked key, no JSON', 'api_key_revoked', () => context.chat({}, { account: revoked, text: '{' })],
      ['a revoked key, no credit', 'api_key_revoked', () => context.chat({}, { account: revoked })],
      ['no JSON, no credit', 'invalid_json', () => context.chat({}, { text: '{' })],
      [
        'no messages, unknown model',
        'missing_field',
        () => context.chat({ model: 'absent' }, { omit: ['messages'] }),
      ],
      ['unknown model, two choices', 'model_not_found', () => context.chat({ model: 'absent', n: 2 })],
      ['out of scope, two choices', 'model_not_in_key_scope', () => context.chat({ model: other, n: 2 })],
      ['out of scope, no credit', 'model_not_in_key_scope', () => context.chat({ model: other })],
      ['two choices, no credit', 'unsupported_parameter', () => context.chat({ n: 2 })],
    ]
    for (const [name, code, ask] of cases) {
      const exchange = await ask()
      try {
        expectError(exchange, code)
      } catch (error) {
        if (error instanceof assert.AssertionError) error.message = `${name}: ${error.message}`
        throw error
      }
    }
  },
})
