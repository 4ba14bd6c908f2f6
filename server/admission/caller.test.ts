import { expect, test } from 'vitest'
import { createCaller } from './caller.ts'
import type { FoundKey } from './key-finder.ts'

const found: FoundKey = {
  state: 'active',
  modelScope: ['a'],
  rates: {
    workspaceId: 'ws_1',
    keyId: 'key_1',
    requestsPerMinute: null,
    tokensPerMinute: null,
    workspaceRequestsPerMinute: null,
    workspaceTokensPerMinute: null,
  },
  balanceMicros: 0n,
  isSpent: false,
}

function callerWith(key: FoundKey | undefined) {
  const trace = {}
  return { trace, caller: createCaller(async () => key, '00', trace) }
}

test.each<[string, FoundKey | undefined, string]>([
  ['unknown', undefined, 'invalid_api_key'],
  ['revoked', { ...found, state: 'revoked' }, 'api_key_revoked'],
  ['expired', { ...found, state: 'expired' }, 'api_key_expired'],
])('a key that is %s is refused before its scope is looked at', async (_, key, code) => {
  await expect(callerWith(key).caller.require({ id: 'b' })).rejects.toMatchObject({ code })
})

test('an active key is refused a model outside its scope, and no other', async () => {
  const { caller } = callerWith(found)
  await expect(caller.require({ id: 'b' })).rejects.toMatchObject({ code: 'model_not_in_key_scope' })
  expect(await caller.require({ id: 'a' })).toBe(found)
  expect(await caller.require()).toBe(found)
})

test('whose a key is stands in the trace, and nothing else of it, whether it may be used or not', async () => {
  const { caller, trace } = callerWith({ ...found, state: 'revoked' })
  await expect(caller.require()).rejects.toThrow()
  expect(trace).toEqual({ workspaceId: 'ws_1', keyId: 'key_1' })
})
