import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, chat, type Service, startService } from './service.ts'

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({ timers: { idleMs: 2_000, firstByteMs: 2_000 } })
  account = await service.createAccount(5_000_000n)
})

afterAll(() => service.stop())

const say = (script: string) => ({ messages: [{ role: 'user', content: `Hello [script:${script}]` }] })

interface Row {
  readonly status: string
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly cost_micros: bigint
}

/** The record of an answer, after showing that the books agree and nothing is held. */
async function recordOf(response: Response): Promise<Row> {
  const id = response.headers.get('x-router-generation-id')
  expect(id).toMatch(/^gen-/)
  const [row] = await service.sql<Row[]>`select * from generations where id = ${id}`
  const { differences, open_holds: openHolds } = await service.verify()
  expect(differences).toEqual([])
  expect(openHolds).toBe(0)
  return row!
}

test.each([
  ['refuses the connection midway', 'refuse', 502, 'backend_unavailable'],
  ['answers HTML', 'html', 502, 'backend_error'],
  ['is overloaded', 'busy', 502, 'backend_unavailable'],
  ['stays silent', 'silence', 502, 'backend_unavailable'],
  ['dies in the middle of its body', 'cut', 502, 'backend_unavailable'],
])('a backend that %s never makes a whole answer a success', async (_, script, status, code) => {
  for (const stream of [false, ...(script === 'cut' ? [] : [true])]) {
    const response = await chat(service, account.apiKey, { ...say(script), stream })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code, type: 'upstream_error' } })
    expect(await recordOf(response)).toMatchObject({
      status: 'aborted',
      completion_tokens: 0n,
      cost_micros: 0n,
    })
  }
})

test.each([
  ['dies', 'cut', 'backend_unavailable'],
  ['ends without [DONE]', 'eof', 'backend_unavailable'],
  ['stalls', 'stall', 'backend_unavailable'],
  ['sends an error in band', 'error', 'backend_error'],
  ['sends garbage', 'garbage', 'backend_error'],
])(
  'a stream whose backend %s ends with an error event, [DONE] and an aborted record',
  async (_, script, code) => {
    const response = await chat(service, account.apiKey, { ...say(script), stream: true })
    expect(response.status).toBe(200)
    const events = (await response.text()).trimEnd().split('\n\n')
    expect(events.at(-1)).toBe('data: [DONE]')
    expect(JSON.parse(events.at(-2)!.slice('data: '.length))).toMatchObject({ error: { code } })
    const record = await recordOf(response)
    expect(record.status).toBe('aborted')
    // What was delivered before the fault, a token for each four bytes; an error's text is never billed (M-05).
    const said = events
      .slice(0, -2)
      .map((event) => JSON.parse(event.slice('data: '.length)).choices[0]?.delta.content ?? '')
    expect(said.filter((text) => text !== '')).toHaveLength(5)
    expect(record.completion_tokens).toBe(BigInt(Math.ceil(Buffer.byteLength(said.join('')) / 4)))
    expect(record.cost_micros).toBeGreaterThan(0n)
  },
)

test('a backend that is not there at all answers 502 backend_unavailable, with a record and a zero debit', async () => {
  await service.backend.play({ refuseConnections: true })
  const response = await chat(service, account.apiKey, {})
  await service.backend.play({})
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: { code: 'backend_unavailable' } })
  const record = await recordOf(response)
  expect(record).toMatchObject({ status: 'aborted', cost_micros: 0n })
  const rows = await service.sql`
    select from ledger where idempotency_key = ${`generation:${response.headers.get('x-router-generation-id')}`}`
  expect(rows).toHaveLength(1)
})

test('a client’s own mistake that only the backend sees comes back as a 400', async () => {
  const error = { message: 'top_k must be positive', type: 'BadRequestError', param: 'top_k', code: 400 }
  await service.backend.play({ rules: [{ status: 400, error }] })
  const response = await chat(service, account.apiKey, { top_k: -1 })
  await service.backend.play({})
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: {
      code: 'unsupported_parameter',
      message: expect.stringContaining('top_k must be positive'),
      param: 'top_k',
    },
  })
  expect(await recordOf(response)).toMatchObject({ status: 'aborted', cost_micros: 0n })
})
