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

/** Asserts a status; the message shows what was answered instead. */
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

/** The error object of a body or of an event. */
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

/** Asserts a whole answer of a chat. */
export function expectChat(exchange: Exchange): ChatCompletion {
  return expectShape(exchange, isChatCompletion)
}

/** Asserts a list of models. */
export function expectModels(exchange: Exchange): ModelList['data'] {
  return expectShape<ModelList>(exchange, isModelList).data
}

/** Asserts one model. */
export function expectModel(exchange: Exchange): Model {
  return expectShape(exchange, isModel)
}

/** A record, whatever it is wrapped in: the given specification names few of its members. */
export function recordIn(exchange: Exchange): Readonly<Record<string, unknown>> {
  expectStatus(exchange, 200)
  const body = objectOf(exchange)
  return isObject(body.data) ? body.data : body
}

/** Asserts a record in the form that was chosen. */
export function expectRecord(exchange: Exchange): Generation {
  return expectShape<{ readonly data: Generation }>(exchange, isGenerationResult).data
}

/** The generation's id, which the header of every answer to an accepted request carries. */
export function generationIdOf({ headers }: Exchange): string {
  const id = headers['x-router-generation-id'] ?? ''
  assert.match(id, GENERATION_ID, 'X-Router-Generation-Id is no generation id')
  return id
}

/** Of generations. */
export const GENERATION_ID = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/

/** Asserts that a value has at least these members, each as told. */
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

/** Asserts a body of a 200 by the validator of its form. */
export function expectShape<T>(exchange: Exchange, validate: Validator): T {
  expectStatus(exchange, 200)
  const value = jsonOf(exchange)
  if (!validate(value)) {
    const [first] = validate.errors ?? []
    assert.fail(`the body is not as the contract says: ${first?.instancePath || 'it'} ${first?.message}`)
  }
  return value as T
}
