import { expect, test } from 'vitest'
import { brokenBy, checking, shows } from './checks.ts'
import { expectError } from './expect.ts'
import type { Exchange } from './http/exchange.ts'

/** What breaks where `n: 2` is to be refused by `unsupported_parameter` and this is answered. */
async function brokenWith(status: number, body: unknown): Promise<readonly string[]> {
  const sent = { method: 'POST', url: 'http://127.0.0.1/elsewhere', headers: {} }
  const answered = { sent, status, body: Buffer.from(JSON.stringify(body)), headers: {}, ending: 'complete' }
  const scenario = { rules: ['REQ-08', 'ERR-06'], isNaming: true } as const
  try {
    await checking(scenario, { held: new Map() }, async () => {
      shows('REQ-08', 'ERR-06')
      expectError(answered as unknown as Exchange, 'unsupported_parameter')
    })
    return []
  } catch (thrown) {
    return brokenBy(thrown, scenario.rules)
  }
}

const refusal = (code: string, type = 'invalid_request_error') => ({ error: { message: 'No.', type, code } })

test.each([
  ['the refusal', 400, refusal('unsupported_parameter'), []],
  ['no refusal', 200, {}, ['REQ-08']],
  ['no answer', 0, {}, ['REQ-08']],
  ['a refusal by another code, which the rule does not name', 400, refusal('missing_field'), []],
  ['a refusal by another code and status', 404, refusal('not_found'), ['REQ-08']],
  ['what is no JSON of an error', 502, 'Bad gateway', ['REQ-08']],
  ['the code with another status', 422, refusal('unsupported_parameter'), ['ERR-06']],
  ['the code with another type', 400, refusal('unsupported_parameter', 'server_error'), ['ERR-06']],
])('what goes with a code is broken only where that code comes: %s', async (_, status, body, broken) => {
  expect(await brokenWith(status, body)).toEqual(broken)
})

test.each([
  ['one that says it, and the one of the code', ['AUTH-03', 'AUTH-01', 'ERR-08'], ['AUTH-03', 'ERR-08']],
  ['one that says nothing of it: the code has a rule of its own', ['AUTH-13'], ['ERR-08']],
] as const)('another status than that of a code breaks %s', async (_, rules, broken) => {
  const body = Buffer.from(JSON.stringify(refusal('invalid_api_key', 'authentication_error')))
  const answered = { status: 403, body, headers: {}, ending: 'complete' } as unknown as Exchange
  const scenario = { rules, isNaming: rules.length === 1 }
  const asked = checking(scenario, { held: new Map() }, async () => {
    shows(...rules)
    expectError(answered, 'invalid_api_key')
  })
  expect(await asked.catch((thrown: unknown) => brokenBy(thrown, rules))).toEqual(broken)
})
