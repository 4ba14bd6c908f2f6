// @module-tag python-openai

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pythonOf } from '../needs.ts'
import { type Account, type Service, startService } from '../service.ts'

const PROGRAM = join(import.meta.dirname, 'programs', 'python-openai.py')

interface Answer {
  readonly id: string
  readonly text: string
  readonly usage: { readonly cost_micros: number }
}

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService()
  account = await service.createAccount(5_000_000n)
})

afterAll(() => service.stop())

test('the SDK for Python reads an answer, a stream with its usage and a refusal', async () => {
  const env = { ...process.env, OPENAI_BASE_URL: service.baseUrl, OPENAI_API_KEY: account.apiKey }
  const { stdout } = await promisify(execFile)(pythonOf('python-openai'), [PROGRAM], { env })
  const { chat, stream, refused } = JSON.parse(stdout) as { chat: Answer; stream: Answer; refused: unknown }
  const records = await service.sql<{ id: string; cost_micros: bigint }[]>`
    select id, cost_micros from generations where workspace_id = ${account.workspaceId} order by id`
  expect(records.map(({ id, cost_micros }) => [id, Number(cost_micros)])).toEqual(
    [chat, stream].map(({ id, usage }) => [id, usage.cost_micros]),
  )
  for (const { text } of [chat, stream]) expect(text.length).toBeGreaterThan(10)
  expect(refused).toEqual({ status: 401, code: 'invalid_api_key' })
})
