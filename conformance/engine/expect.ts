import assert from 'node:assert/strict'
import { isObject } from '#base/object.ts'
import { type ErrorCode, errors } from '#contract/errors'
import type { ChatCompletion, Generation, Model, ModelList } from '#contract/models'
import type { Validator } from '#contract/validator'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isGenerationResult } from '#contract/validators/generation-result'
import { isModel } from '#contract/validators/model'
import { isModelList } from '#contract/validators/model-list'
import { type Exchange, excerpt, jsonOf, objectOf, textOf } from './http/exchange.ts'

/** An error as it stands in a body. */
export interface ApiError {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly param?: string
}

/** Asserts a status, and that the answer did not break off; the message shows what was answered instead. */
export function expectStatus(exchange: Exchange, status: number): void {
  const { fault } = exchange
  const instead =
    exchange.status === 0 ? `no answer (${fault})` : `${exchange.status}: ${excerpt(textOf(exchange))}`
  assert.equal(exchange.status, status, `expected ${status}, got ${instead}`)
  if (exchange.ending === 'broken') assert.fail(`the answer broke off: ${fault}`)
}

/** Asserts a refusal by its code; status and type follow from the registry. */
export function expectError(
  exchange: Exchange,
  code: ErrorCode,
  { param }: { param?: string } = {},
): ApiError {
  expectStatus(exchange, errors[code].status)
  const error = errorIn(objectOf(exchange))
  assert.equal(error.code, code)
  assert.equal(error.type, errors[code].type)
  if (param !== undefined) assert.equal(error.param, param, `the error names ${error.param}, not ${param}`)
  return error
}

/** Asserts an error object in a body or event, with a message, a type and a code, and gives it. */
export function errorIn(body: unknown): ApiError {
  assert.ok(
    isObject(body) && isObject(body.error),
    `there is no error object in ${excerpt(JSON.stringify(body))}`,
  )
  const { message, type, code, param } = body.error
  assert.ok(typeof message === 'string' && message !== '', 'the message of an error is a text')
  assert.ok(typeof type === 'string', 'the type of an error is a text')
  assert.ok(typeof code === 'string', 'the code of an error is a text')
  assert.ok(param === undefined || typeof param === 'string', 'the param of an error is a text')
  return { message, type, code, ...(param !== undefined && { param }) }
}

/** Asserts a 200 with a chat completion that was not streamed. */
export function expectChat(exchange: Exchange): ChatCompletion {
  return expectShape(exchange, isChatCompletion)
}

/** Asserts a 200 with a list of models. */
export function expectModels(exchange: Exchange): ModelList['data'] {
  return expectShape<ModelList>(exchange, isModelList).data
}

/** Asserts a 200 with one model. */
export function expectModel(exchange: Exchange): Model {
  return expectShape(exchange, isModel)
}

/** Asserts a 200 with a JSON object, and gives its `data` or else itself: the given specification leaves that open. */
export function recordIn(exchange: Exchange): Readonly<Record<string, unknown>> {
  expectStatus(exchange, 200)
  const body = objectOf(exchange)
  return isObject(body.data) ? body.data : body
}

/** Asserts a 200 with a record in the form that this project chose. */
export function expectRecord(exchange: Exchange): Generation {
  return expectShape<{ readonly data: Generation }>(exchange, isGenerationResult).data
}

/** Asserts `X-Router-Generation-Id`, which every answer to an accepted request carries, and gives its value. */
export function generationIdOf({ headers }: Exchange): string {
  const id = headers['x-router-generation-id'] ?? ''
  assert.match(id, GENERATION_ID, 'X-Router-Generation-Id is no generation id')
  return id
}

/** The form of a generation's id: `gen-` and a ULID. */
export const GENERATION_ID = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/

/** Asserts that a value has at least the members of `expected`, at any depth; other members may stand beside them. */
export function expectSubset(actual: unknown, expected: unknown, path = 'the body'): void {
  if (isObject(expected)) {
    assert.ok(isObject(actual), `${path} is no object`)
    for (const [name, value] of Object.entries(expected)) expectSubset(actual[name], value, `${path}.${name}`)
  } else
    assert.deepEqual(
      actual,
      expected,
      `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
    )
}

/** Asserts a 200 whose JSON passes the validator, and gives it; the message names the first place that does not. */
export function expectShape<T>(exchange: Exchange, validate: Validator): T {
  expectStatus(exchange, 200)
  const value = jsonOf(exchange)
  if (!validate(value)) {
    const [first] = validate.errors ?? []
    assert.fail(`the body is not as the contract says: ${first?.instancePath || 'it'} ${first?.message}`)
  }
  return value as T
}
