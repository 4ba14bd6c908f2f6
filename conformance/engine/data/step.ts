import assert from 'node:assert/strict'
import { errors } from '#contract/errors'
import type { Context } from '../context.ts'
import { expectError, expectStatus, generationIdOf, recordIn } from '../expect.ts'
import { type Exchange, jsonOf, objectOf } from '../http/exchange.ts'
import type { RequestOptions } from '../requests.ts'
import { expectStream } from '../stream.ts'
import { expectTextStream } from '../texts.ts'
import type { Expectation, Step } from './definition.ts'
import { fill } from './fill.ts'
import { match } from './match.ts'

/** Makes one request of a scenario that is data, and asserts its expectation of the answer. */
export async function runStep(step: Step, context: Context): Promise<void> {
  // A script changes the usual prompt.
  if (step.backend) await context.script(step.backend)
  const filled = await fill(step, context)
  const exchange = await ask(filled, context)
  try {
    await judge(exchange, filled, context)
  } catch (error) {
    if (step.name && error instanceof assert.AssertionError) error.message = `${step.name}: ${error.message}`
    throw error
  }
}

async function ask(step: Step, context: Context): Promise<Exchange> {
  const { operation, text, bytes, body } = step
  const { method, path, params, query, headers, omit } = step
  const options: RequestOptions = {
    ...(method && { method }),
    ...(path && { path }),
    ...(params && { params: params }),
    ...(query && { query: query }),
    ...(headers && { headers: headers }),
    ...(omit && { omit }),
    ...(body && { body }),
    ...(text !== undefined && { text }),
    ...(bytes !== undefined && { text: Buffer.from(bytes, 'base64') }),
    ...(await keyFor(step, context)),
  }
  if (operation !== undefined) return context.request(operation, options)
  const { key, omit: _, body: __, text: sent, account: ___, ...rest } = options
  const own = key === undefined ? (await context.own()).key : (key ?? undefined)
  return context.client.send({ ...rest, key: own, ...(sent !== undefined && { body: sent }) })
}

async function keyFor({ key = 'own' }: Step, context: Context): Promise<{ key?: string | null }> {
  if (key === 'own') return {}
  if (key === 'none') return { key: null }
  return { key: (await context.fixture(key)).key }
}

async function judge(exchange: Exchange, step: Step, context: Context): Promise<void> {
  const { expect: expected = {} } = step
  judgeHead(exchange, expected)
  judgeBody(exchange, step)
  if (expected.record)
    match(recordIn(await context.record(generationIdOf(exchange))), expected.record, 'the record')
  if (expected.sent) {
    const received = (await context.received()).at(-1)
    assert.ok(received, 'nothing reached the backend')
    match(JSON.parse(received.body), expected.sent, 'what the backend received')
  }
  if (expected.debitMicros !== undefined) {
    const id = generationIdOf(exchange)
    const rows = (await context.books()).entries.filter(({ reference }) => reference === id)
    assert.deepEqual(
      rows.map(({ amount_micros }) => amount_micros),
      // A difference, for a debit of nothing is no negative zero.
      [0 - expected.debitMicros],
      'the debit',
    )
  }
}

function judgeHead(exchange: Exchange, { error, status, headers = {} }: Expectation): void {
  expectStatus(exchange, status ?? (error ? errors[error].status : 200))
  for (const [name, value] of Object.entries(headers))
    match(exchange.headers[name.toLowerCase()], value, name)
}

function judgeBody(exchange: Exchange, { operation, expect: expected = {} }: Step): void {
  const { error, param, message, body, stream, usage } = expected
  if (error !== undefined) {
    const found = expectError(exchange, error, param === undefined ? {} : { param })
    if (message) assert.match(found.message, new RegExp(message, 'i'))
  }
  if (body) match(jsonOf(exchange), body, 'the body')
  if (stream) {
    const read = operation === 'createCompletion' ? expectTextStream(exchange) : expectStream(exchange)
    if (usage) match(read.usage, usage, 'usage')
  } else if (usage) match(objectOf(exchange).usage, usage, 'usage')
}
