import { isObject } from '#base/object.ts'
import { type ErrorCode, errors } from '#contract/errors'
import type { ChatCompletion, Generation, Model, ModelList } from '#contract/models'
import type { RuleId } from '#contract/rules'
import * as assert from './assert.ts'
import { failAs } from './assert.ts'
import { hold, isShown, showing, shownRules } from './checks.ts'
import { type Exchange, excerpt, jsonOf, objectOf, textOf } from './http/exchange.ts'
import { catalogue, ruleTexts } from './rules.ts'
import { toldLate } from './told-late.ts'
import { brokenInPlace } from './turned-away.ts'
import { ruleOfCode } from './universal/codes.ts'
import { type Form, forms, type Mistake, mistakesIn } from './universal/forms.ts'

/** An error as it stands in a body. */
export interface ApiError {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly param?: string
}

/**
 * Asserts a status, and that the answer did not break off; the message shows what was answered instead. Who is turned away
 * as a whole has shown nothing of what was asked for.
 */
export function expectStatus(exchange: Exchange, status: number): void {
  const { fault } = exchange
  const instead =
    exchange.status === 0 ? `no answer (${fault})` : `${exchange.status}: ${excerpt(textOf(exchange))}`
  const judged = exchange.status === status ? shownRules() : brokenInPlace(exchange, shownRules())
  showing(judged, () => assert.equal(exchange.status, status, `expected ${status}, got ${instead}`))
  if (exchange.ending === 'broken') assert.fail(`the answer broke off: ${fault}`)
}

/**
 * Asserts a refusal by its code; status and type follow from the registry. What is told late, in a stream of pings, has
 * no status any more.
 */
export function expectError(
  exchange: Exchange,
  code: ErrorCode,
  { param }: { param?: string } = {},
): ApiError {
  const { type } = errors[code]
  expectStatusOf(exchange, code)
  const judged = readersOf(code)
  const body = toldLate(exchange) ?? showing(judged, () => objectOf(exchange))
  const error = errorIn(body, judged.length > 0 ? judged : SHAPE)
  if (error.code !== code && judged.length > 0)
    failAs(
      exchange.status === 404 ? brokenInPlace(exchange, judged) : judged,
      `the code is ${JSON.stringify(error.code)}, not ${code}`,
    )
  hold()
  // Of every answer the universal checks tell what goes with a code.
  const rules = shownRules().filter((rule) => saysType(rule, code))
  if (error.type !== type && rules.length > 0)
    failAs(rules, `the type of ${code} is ${error.type}, not ${type}`)
  if (param !== undefined) assert.equal(error.param, param, `the error names ${error.param}, not ${param}`)
  return error
}

/**
 * Asserts the status of a code. Where there is no refusal at all, or one of another code, nothing tells of what goes
 * with this one: that breaks what else is shown. The code with another status breaks what says that status, and no more.
 */
export function expectStatusOf(exchange: Exchange, code: ErrorCode): void {
  const { status } = errors[code]
  if (toldLate(exchange)) return
  if (exchange.status !== status && codeIn(exchange) === code) {
    const broken = shownRules().filter((rule) => saysStatus(rule, code))
    const rules = broken.length > 0 ? broken : ruleOfCode(code)
    failAs(rules, `expected ${status}, got ${exchange.status}: ${excerpt(textOf(exchange))}`)
  }
  const isOther = exchange.status < 400 || exchange.status !== status
  showing(isOther ? besideCode(code) : shownRules(), () => expectStatus(exchange, status))
}

/** The code of a refusal; undefined where there is none to be read. */
export function codeIn(exchange: Exchange): unknown {
  try {
    const { error } = JSON.parse(textOf(exchange))
    return isObject(error) ? error.code : undefined
  } catch {
    return undefined
  }
}

/** What is shown beside what goes with a code; all of it where that is all. */
function besideCode(code: ErrorCode): readonly RuleId[] {
  const others = shownRules().filter((rule) => !ruleOfCode(code).includes(rule))
  return others.length > 0 ? others : shownRules()
}

/** What another code of the same status breaks. A given rule that names no code holds with any. */
function readersOf(code: ErrorCode): readonly RuleId[] {
  return besideCode(code).filter(
    (rule) => catalogue[rule].origin === 'chosen' || ruleTexts.get(rule)?.includes(`\`${code}\``),
  )
}

/** What an error is made of. */
const SHAPE = ['ERR-01', 'ERR-03'] as const

/** Whether a rule says what status goes with a code. */
function saysStatus(rule: RuleId, code: ErrorCode): boolean {
  const says = new RegExp(`\\b${errors[code].status}\\b`).test(ruleTexts.get(rule) ?? '')
  return says || ruleOfCode(code).includes(rule)
}

/** Whether a rule says what type goes with a code; where both are one word, it says the code. */
function saysType(rule: RuleId, code: ErrorCode): boolean {
  const { type } = errors[code]
  const says = type !== code && (ruleTexts.get(rule)?.includes(`\`${type}\``) ?? false)
  return says || ruleOfCode(code).includes(rule)
}

/**
 * Asserts an error object with a code in a body or event, and gives it; without one `broken` is broken. Its other members are asserted where they are
 * what is shown; the universal checks tell of all.
 */
export function errorIn(body: unknown, broken = shownRules()): ApiError {
  if (!isObject(body) || !isObject(body.error))
    return failAs(broken, `there is no error object in ${excerpt(JSON.stringify(body))}`)
  const { message, type, code, param } = body.error
  if (typeof code !== 'string')
    return failAs(broken, `the code of an error is ${JSON.stringify(code)}, which is no text`)
  hold()
  // Null is as good as absent.
  const parts = { message, type, ...((param ?? undefined) !== undefined && { param }) }
  const wrong = Object.entries(parts).find(([, value]) => typeof value !== 'string')
  if (wrong && isShown(SHAPE)) failAs(SHAPE, `the ${wrong[0]} of an error is no text`)
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const named = typeof param === 'string' && { param }
  return { message: text(message), type: text(type), code, ...named }
}

/**
 * Asserts that a value can be read as its form says, and gives it. What is wrong in it breaks the rules of that member:
 * at once where they are what is shown or where nothing could be read, else when the member is read. The universal
 * checks tell of it in any case.
 */
export function readAs<T>(value: unknown, form: Form, what: string): T {
  const mistakes = mistakesIn(value, form)
  const wrong = mistakes.find(
    ({ rules, isStructural, path }) => isShown(rules) || (isStructural && path !== '/usage'),
  )
  if (wrong) failAs(wrong.rules, `${what} is not as the contract says: ${wrong.problem}`)
  assert.ok(isObject(value), `${what} is no object`)
  const { usage } = value
  if (mistakes.length === 0 || !isObject(usage)) return value as T
  return { ...value, usage: guarded(usage, mistakes, '/usage') } as T
}

/** An object of which nobody reads a wrong member without breaking the rules of that member. */
function guarded(
  members: Readonly<Record<string, unknown>>,
  mistakes: readonly Mistake[],
  at: string,
): object {
  const copy = { ...members }
  for (const { path, rules, problem } of mistakes) {
    const name = path.slice(at.length + 1)
    if (!path.startsWith(`${at}/`) || name.includes('/')) continue
    const get = () => failAs(rules, `${name} is not as the contract says: ${problem}`)
    Object.defineProperty(copy, name, { enumerable: true, get })
  }
  return copy
}

/**
 * Asserts a 200 whose JSON can be read as its form says. Without a usage the one it has is empty, and where the id is
 * not what is shown it is that of the header.
 */
export function expectForm<T>(exchange: Exchange, form: Form): T {
  expectStatus(exchange, 200)
  const value = readAs<{ readonly id?: unknown; readonly usage?: object }>(jsonOf(exchange), form, 'the body')
  return {
    ...value,
    ...(value.id !== undefined && knownBy(exchange, value.id)),
    usage: isObject(value.usage) ? value.usage : withoutUsage(form, rulesOfUsage(form)),
  } as T
}

function rulesOfUsage(form: Form): readonly RuleId[] {
  return form.members.find(([where]) => where.test('/usage'))?.[1] ?? form.rules
}

/** A usage that is not there: whoever reads of it breaks these rules. */
export function withoutUsage(form: Form, rules: readonly RuleId[]): object {
  const names = Object.keys((form.sample as { readonly usage?: object }).usage ?? {})
  const missing = { rules, problem: 'there is no usage', isStructural: false }
  return guarded(
    {},
    names.map((name) => ({ ...missing, path: `/usage/${name}` })),
    '/usage',
  )
}

/** The id by which a generation is known: the header's, unless an answer's own is what is shown. */
export function knownBy({ headers }: Exchange, id: unknown): { readonly id?: unknown } {
  const told = headers['x-router-generation-id']
  // Where both could be one, the books are asked by what the answer itself says.
  const isOwn = told === undefined || isShown(IDENTITY) || GENERATION_ID.test(String(id))
  return { id: isOwn ? id : told }
}

const IDENTITY = ['CHAT-02', 'HDR-03', 'HDR-10'] as const

/** Asserts a 200 with a chat completion that was not streamed. */
export function expectChat(exchange: Exchange): ChatCompletion {
  return expectForm(exchange, forms.chat)
}

/** Asserts a 200 with a list of models. */
export function expectModels(exchange: Exchange): ModelList['data'] {
  return readAs<ModelList>(expectJson(exchange), forms.models, 'the list').data
}

/**
 * Asserts a 200 with a list of entries that each have an id, and gives these: what else stands in an entry, and how it
 * is called, is left open here.
 */
export function listedIn(exchange: Exchange): readonly Readonly<Record<string, unknown> & { id: string }>[] {
  expectStatus(exchange, 200)
  const { data } = objectOf(exchange)
  if (!Array.isArray(data)) return failAs(['MODL-05'], 'the list of models has no data')
  return data.map((entry: unknown) => {
    const id = isObject(entry) ? entry.id : undefined
    return typeof id === 'string' ? { ...(entry as object), id } : failAs(['MODL-01'], 'an entry has no id')
  })
}

/** The ids of the models in a list. */
export function listedIds(exchange: Exchange): readonly string[] {
  return listedIn(exchange).map(({ id }) => id)
}

/** Asserts a 200 with one model. */
export function expectModel(exchange: Exchange): Model {
  const value = expectJson(exchange)
  const model = readAs<Model>(value, forms.model, 'the model')
  return guarded({ ...model }, mistakesIn(value, forms.model), '') as Model
}

/**
 * Gives the `data` of a record's JSON object or else itself: the given specification leaves that open. Whether it can be
 * read is what scenarios of its own show: where it cannot, nothing is told of what it holds.
 */
export function recordIn(exchange: Exchange): Readonly<Record<string, unknown>> {
  expectRead(exchange)
  const body = objectOf(exchange)
  return isObject(body.data) ? body.data : body
}

/** All texts, numbers, switches and nulls in a value, however deep. */
export function valuesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(valuesIn)
}

function expectRead(exchange: Exchange): void {
  showing([], () => expectStatus(exchange, 200))
}

/** Asserts a record in the form that this project chose; that it can be read is taken for granted, as above. */
export function expectRecord(exchange: Exchange): Generation {
  expectRead(exchange)
  const body = jsonOf(exchange)
  const { data } = readAs<{ readonly data: Generation }>(body, forms.record, 'the record')
  return guarded({ ...data }, mistakesIn(body, forms.record), '/data') as Generation
}

function expectJson(exchange: Exchange): unknown {
  expectStatus(exchange, 200)
  return jsonOf(exchange)
}

/**
 * Gives `X-Router-Generation-Id`, which every answer to an accepted request carries, and asserts its form where that is
 * what is shown; elsewhere the id of the body does as well.
 */
export function generationIdOf(exchange: Exchange): string {
  const header = exchange.headers['x-router-generation-id'] ?? ''
  const own = idIn(textOf(exchange))
  const id = header === '' || (GENERATION_ID.test(own) && !isShown(IDENTITY)) ? own : header
  if (isShown(IDENTITY) && !GENERATION_ID.test(header)) {
    const broken = shownRules().filter((rule) => IDENTITY.some((one) => one === rule))
    failAs(
      brokenInPlace(exchange, broken),
      `X-Router-Generation-Id is no generation id: ${header.slice(0, 60)}`,
    )
  }
  if (isShown(IDENTITY)) hold()
  if (id === '') failAs(brokenInPlace(exchange, ['HDR-10']), 'there is no X-Router-Generation-Id')
  return id
}

/** The first id that stands in a body or in a stream; empty when there is none. */
function idIn(text: string): string {
  return /^(?:data: *)?\{.*?"id" *: *"([^"]{1,100})"/m.exec(text)?.[1] ?? ''
}

/** The form of a generation's id: `gen-` and a ULID, in which case means nothing. */
export const GENERATION_ID = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/i

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
