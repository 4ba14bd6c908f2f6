import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fillHistory } from '../history/testing.ts'
import { type Log, silent } from '../log.ts'
import { createAccount } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { savingRequests } from './requests-csv.ts'
import { type Exchange, exchange, personOf } from './testing.ts'

let server: TestServer
let sql: Sql
let workspaceId: string

/** More than the buffers between two ends of a connection take. */
const ROWS = 100_000
const BATCHES = ROWS / 1_000

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  const account = await createAccount(sql)
  workspaceId = account.workspaceId
  await fillHistory(sql, { workspaceId, keyIds: [account.keyId], count: ROWS })
})

afterEach(() => vi.restoreAllMocks())

afterAll(() => server.stop())

/** Begins to save the log; `ended` resolves when nothing of it is under way any more. */
async function save(
  log: Log = silent,
  isOpen: () => Promise<boolean> = async () => true,
): Promise<Exchange & { readonly ended: Promise<void> }> {
  let ended: Promise<void> | undefined
  const one = await exchange((response) => {
    const request = {
      person: personOf(workspaceId),
      path: {},
      query: {},
      body: undefined,
      change: undefined,
      headers: {},
    }
    ended = savingRequests(sql, log, isOpen)({ ...request, response, incoming: response.req })
  })
  return { ...one, ended: ended! }
}

test('a reader that stands still has the database stand still, and one that leaves ends it', async () => {
  const batches = vi.spyOn(sql, 'begin')
  const errors = vi.fn()
  const { response, reader, ended, close } = await save({ ...silent, error: errors })
  await vi.waitUntil(() => response.writableNeedDrain)
  const read = batches.mock.calls.length
  expect(read).toBeLessThan(BATCHES)
  // Two batches at most wait in this process.
  expect(response.writableLength).toBeLessThan(1_048_576)
  reader.destroy()
  await ended
  expect(batches.mock.calls.length).toBeLessThanOrEqual(read + 1)
  expect(errors).not.toHaveBeenCalled()
  close()
})

test('a file that cannot be written to its end is broken off, so that half of it is not taken for all', async () => {
  const batches = vi.spyOn(sql, 'begin')
  const errors: string[] = []
  const { response, reader, ended, close } = await save({
    ...silent,
    error: (message) => void errors.push(message),
  })
  await vi.waitUntil(() => response.writableNeedDrain)
  batches.mockRejectedValue(new Error('the database has lost its mind'))
  const whole = (async () => {
    for await (const _ of reader);
  })()
  await expect(whole).rejects.toThrow('aborted')
  await ended
  expect(errors).toEqual(['a file of requests could not be written to its end'])
  close()
})

test('a file that is under way ends with its session, cut off and nobody’s fault', async () => {
  let isOpen = true
  const errors = vi.fn()
  const { response, reader, ended, close } = await save({ ...silent, error: errors }, async () => isOpen)
  await vi.waitUntil(() => response.writableNeedDrain)
  isOpen = false
  const whole = (async () => {
    for await (const _ of reader);
  })()
  await expect(whole).rejects.toThrow('aborted')
  await ended
  expect(errors).not.toHaveBeenCalled()
  close()
})
