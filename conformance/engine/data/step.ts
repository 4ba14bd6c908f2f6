import * as assert from '../assert.ts'
import { shows } from '../checks.ts'
import type { Context } from '../context.ts'
import { debitsOf } from '../debits.ts'
import { expectError, expectStatus, expectStatusOf, generationIdOf, recordIn } from '../expect.ts'
import { type Exchange, jsonOf, objectOf } from '../http/exchange.ts'
import { parsed } from '../http/json.ts'
import type { RequestOptions } from '../requests.ts'
import { expectStream } from '../stream.ts'
import { expectTextStream } from '../texts.ts'
import { toldLate } from '../told-late.ts'
import type { Expectation, Step } from './definition.ts'
import { fill } from './fill.ts'
import { match } from './match.ts'

/** Makes one request of a scenario that is data, and asserts its expectation of the answer. */
export async function runStep(step: Step, context: Context): Promise<void> {
  if (isWithinScope(step, context)) return
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

/** Whether a key that is held to the model of chats may do what it is to be refused: one model may do all there is. */
function isWithinScope({ key, operation, expect: expected }: Step, context: Context): boolean {
  if (key !== 'scoped' || operation === undefined || expected?.error !== 'model_not_in_key_scope')
    return false
  return context.bodyFor(operation)?.model === context.model()
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
  name(step, headOf(step))
  judgeHead(exchange, step)
  judgeBody(exchange, step)
  name(step, 'record')
  if (expected.record)
    match(recordIn(await context.record(generationIdOf(exchange))), expected.record, 'the record')
  name(step, 'sent')
  if (expected.sent) {
    const received = (await context.received()).at(-1)
    assert.ok(received, 'nothing reached the backend')
    match(parsed(received.body), expected.sent, 'what the backend received')
  }
  name(step, 'debitMicros')
  if (expected.debitMicros !== undefined) {
    const id = generationIdOf(exchange)
    assert.deepEqual(debitsOf(await context.debits(), id), [expected.debitMicros], 'the debit')
  }
}

/** What the status shows: with an error what that shows, unless it is told apart. */
function headOf({ shows: told = [], expect: expected }: Step): 'status' | 'error' {
  return expected?.error === undefined || 'status' in told ? 'status' : 'error'
}

/** Says which rules a part of an expectation shows. */
function name({ shows: told }: Step, part: keyof Expectation): void {
  if (told !== undefined) shows(...('length' in told ? told : (told[part] ?? [])))
}

function judgeHead(exchange: Exchange, step: Step): void {
  const { error, status, headers = {} } = step.expect ?? {}
  if (status === undefined && error !== undefined) expectStatusOf(exchange, error)
  else expectStatus(exchange, status ?? 200)
  name(step, 'headers')
  // Headers are sent before anything goes wrong there.
  if (error !== undefined && toldLate(exchange)) return
  for (const [name, value] of Object.entries(headers))
    match(exchange.headers[name.toLowerCase()], value, name)
}

function judgeBody(exchange: Exchange, step: Step): void {
  const { operation, expect: expected = {} } = step
  const { error, param, message, body, stream, usage } = expected
  if (error !== undefined) {
    name(step, 'error')
    const found = expectError(exchange, error)
    name(step, 'param')
    if (param !== undefined) assert.equal(found.param, param, `the error names ${found.param}, not ${param}`)
    name(step, 'message')
    if (message) assert.match(found.message, new RegExp(message, 'i'))
  }
  name(step, 'body')
  if (body) match(jsonOf(exchange), body, 'the body')
  name(step, 'stream')
  if (stream) {
    const read = operation === 'createCompletion' ? expectTextStream(exchange) : expectStream(exchange)
    name(step, 'usage')
    if (usage) match(read.usage, usage, 'usage')
    return
  }
  name(step, 'usage')
  if (usage) match(objectOf(exchange).usage, usage, 'usage')
}
