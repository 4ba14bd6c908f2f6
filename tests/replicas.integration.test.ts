// @module-tag redis-server

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey, revokeKey, updateKey } from '../server/store/keys.ts'
import { askAll, expectSound, type Replicas, startReplicas } from './replicas.ts'
import { createAccount } from './service.ts'

/** So many requests a minute are allowed to each workspace. */
const PER_MINUTE = 300

let replicas: Replicas

beforeAll(async () => {
  replicas = await startReplicas({ requestsPerMinute: PER_MINUTE })
})

afterAll(() => replicas.stop())

const statusesOf = async (apiKey: string) => (await askAll(replicas, [apiKey], 3)).map(({ status }) => status)

test.each([
  ['one', 1n],
  ['a few at a time', 50_000n],
  ['all', 50_000_000n],
])(
  '3 × 200 parallel requests at three routers, with credit for %s, keep the overdraft bound, the rate limit and the ledger',
  async (_, balance) => {
    const { sql } = replicas
    const account = await createAccount(sql, balance)
    const others = await Promise.all(
      [1, 2].map(() => createKey(sql, account.workspaceId, { name: 'another' })),
    )
    const apiKeys = [account.apiKey, ...others.map(({ plaintext }) => plaintext)]
    const begun = performance.now()
    const answers = await askAll(replicas, apiKeys, 600)
    const refilled = ((performance.now() - begun) * PER_MINUTE) / 60_000

    expect(answers.filter(({ status }) => ![200, 402, 429].includes(status))).toEqual([])
    const served = answers.filter(({ status }) => status === 200)
    expect(served.filter(({ isWhole }) => !isWhole)).toEqual([])
    expect(served.length).toBeGreaterThanOrEqual(1)
    expect(served.length).toBeLessThanOrEqual(PER_MINUTE + refilled)
    if (balance === 50_000_000n) {
      expect(served.length).toBeGreaterThanOrEqual(PER_MINUTE)
      expect(answers.filter(({ status }) => status === 402)).toEqual([])
    }
    await expectSound(sql, account, served.length)
  },
  300_000,
)

test('a key that is revoked is refused at every router from the next request on', async () => {
  const { sql } = replicas
  const account = await createAccount(sql, 5_000_000n)
  expect(await statusesOf(account.apiKey)).toEqual([200, 200, 200])
  await revokeKey(sql, account.keyId)
  expect(await statusesOf(account.apiKey)).toEqual([401, 401, 401])
})

/** How old a key's limits may be where they are applied. */
const LIMITS_MS = 1_000

test('a second after a key’s limits were changed every router goes by them', async () => {
  const { sql } = replicas
  const account = await createAccount(sql, 5_000_000n, { requestsPerMinute: 3 })
  expect(await statusesOf(account.apiKey)).toEqual([200, 200, 200])
  expect(await statusesOf(account.apiKey)).toEqual([429, 429, 429])
  await updateKey(sql, account.keyId, { tokensPerMinute: 1_000, requestsPerMinute: 60_000 })
  await sleep(LIMITS_MS)
  expect(await statusesOf(account.apiKey)).toEqual([200, 200, 200])
})
