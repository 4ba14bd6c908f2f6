import { AssertionError } from 'node:assert'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { RuleId } from '#contract/rules'
import { breakWith, hold, shownRules } from './checks.ts'

export { AssertionError }

/**
 * The assertions of the suite: like those of `node:assert/strict`, but for what they say. Node draws the difference
 * of two values line by line, in a time and with a memory that whoever answers can make as large as he likes.
 */
export function ok(value: unknown, message?: string): asserts value {
  if (!value) fail(message ?? `${show(value)} is not true`)
  hold()
}

/** Asserts that two values are the same, by `Object.is`. */
export function equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  if (!Object.is(actual, expected)) failOn(actual, `not ${show(expected)}`, message)
  hold()
}

/** Asserts that two values are not the same. */
export function notEqual(actual: unknown, expected: unknown, message?: string): void {
  if (Object.is(actual, expected)) failOn(actual, 'which it must not be', message)
  hold()
}

/** Asserts that two values are alike in every member. */
export function deepEqual<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  if (!isDeepStrictEqual(actual, expected)) failOn(actual, `not ${show(expected)}`, message)
  hold()
}

/** Asserts a text in which the expression is found. */
export function match(actual: unknown, expected: RegExp, message?: string): void {
  if (typeof actual !== 'string' || !expected.test(actual))
    failOn(actual, `which ${expected} does not match`, message)
  hold()
}

/** Asserts a text in which the expression is not found. */
export function doesNotMatch(actual: unknown, expected: RegExp, message?: string): void {
  if (typeof actual !== 'string' || expected.test(actual))
    failOn(actual, `which ${expected} must not match`, message)
  hold()
}

/** Fails the product. */
export function fail(message: string): never {
  return failAs(shownRules(), message)
}

/** Fails the product by rules of its own, whatever is shown here: what was to be shown is untold then. */
export function failAs(rules: readonly RuleId[], message: string): never {
  const error = new AssertionError({ message: shorten(message), stackStartFn: failAs })
  breakWith(error, rules)
  throw error
}

function failOn(actual: unknown, problem: string, message: string | undefined): never {
  const found = `it is ${show(actual)}, ${problem}`
  return fail(message === undefined ? found : `${message}\n${found}`)
}

/** How much of a value is shown, and how long a message may be (ours). */
const SHOWN = { depth: 4, maxArrayLength: 20, maxStringLength: 400, breakLength: Number.POSITIVE_INFINITY }
const MAX_SHOWN = 600
const MAX_MESSAGE = 4_000

function show(value: unknown): string {
  return shorten(inspect(value, SHOWN), MAX_SHOWN)
}

function shorten(text: string, length = MAX_MESSAGE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
