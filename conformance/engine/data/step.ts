import assert from 'node:assert/strict'
import { type ErrorCode, errors } from '#contract/errors'
import type { ScenarioExpectation, ScenarioStep } from '#contract/models'
import type { OperationId } from '#contract/routes'
import type { Context } from '../context.ts'
import { expectError, expectStatus, generationIdOf, recordIn } from '../expect.ts'
import { type Exchange, jsonOf, objectOf } from '../http/exchange.ts'
import type { RequestOptions } from '../requests.ts'
import { expectStream } from '../stream.ts'
import type { FixtureKey } from '../target.ts'
import { expectTextStream } from '../texts.ts'
import { fill } from './fill.ts'
import { match } from './match.ts'

/** Makes one request of a scenario file and asserts what is told of its answer. */
export async function runStep(step: ScenarioStep, context: Context): Promise<void> {
  const exchange = await ask(await fill(step, context), context)
  try {
    await judge(exchange, { ...step, expect: await fill(step.expect, context) }, context)
  } catch (error) {
    if (step.name && error instanceof assert.AssertionError) error.message = `${step.name}: ${error.message}`
    throw error
  }
}

type Texts = Readonly<Record<string, string>>

async function ask(step: ScenarioStep, context: Context): Promise<Exchange> {
  const { operation, text, bytes, body } = step
  const { method, path, params, query, headers, omit } = step
  const options: RequestOptions = {
    ...(method && { method }),
    ...(path && { path }),
    ...(params && { params: params as Texts }),
    ...(query && { query: query as Texts }),
    ...(headers && { headers: headers as Texts }),
    ...(omit && { omit }),
    ...(body && { body }),
    ...(text !== undefined && { text }),
    ...(bytes !== undefined && { text: Buffer.from(bytes, 'base64') }),
    ...(await keyFor(step, context)),
  }
  if (operation !== undefined) return context.request(operation as OperationId, options)
  const { key, omit: _, body: __, text: sent, account: ___, ...rest } = options
  const own = key === undefined ? (await context.own()).key : (key ?? undefined)
  return context.client.send({ ...rest, key: own, ...(sent !== undefined && { body: sent }) })
}

async function keyFor({ key = 'own' }: ScenarioStep, context: Context): Promise<{ key?: string | null }> {
  if (key === 'own') return {}
  if (key === 'none') return { key: null }
  return { key: (await context.fixture(key as FixtureKey)).key }
}

async function judge(exchange: Exchange, step: ScenarioStep, context: Context): Promise<void> {
  const { expect: expected } = step
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
      [-expected.debitMicros],
      'the debit',
    )
  }
}

function judgeHead(exchange: Exchange, { error, status, headers = {} }: ScenarioExpectation): void {
  const code = error as ErrorCode | undefined
  expectStatus(exchange, status ?? (code ? errors[code].status : 200))
  for (const [name, value] of Object.entries(headers))
    match(exchange.headers[name.toLowerCase()], value, name)
}

function judgeBody(exchange: Exchange, { operation, expect: expected }: ScenarioStep): void {
  const { error, param, message, body, stream, usage } = expected
  if (error !== undefined) {
    const found = expectError(exchange, error as ErrorCode, param === undefined ? {} : { param })
    if (message) assert.match(found.message, new RegExp(message, 'i'))
  }
  if (body) match(jsonOf(exchange), body, 'the body')
  if (stream) {
    const read = operation === 'createCompletion' ? expectTextStream(exchange) : expectStream(exchange)
    if (usage) match(read.usage, usage, 'usage')
  } else if (usage) match(objectOf(exchange).usage, usage, 'usage')
}
