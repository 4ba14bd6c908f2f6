import * as assert from './assert.ts'
import { isShown, showing, shownRules } from './checks.ts'
import type { Context } from './context.ts'
import { codeIn, expectError } from './expect.ts'
import type { Exchange } from './http/exchange.ts'
import type { RequestOptions } from './requests.ts'
import { NotTestable } from './thrown.ts'

/** What the headers say of a bucket; NaN where one is missing or no number. */
export interface BucketHeaders {
  readonly limit: number
  readonly remaining: number
  readonly resetAtMs: number
  readonly retryAfterSeconds: number
  readonly retryAfterMs: number
}

/** Reads the headers of a bucket and asserts nothing. */
export function readBucket({ headers }: Exchange): BucketHeaders {
  const number = (name: string) => Number(headers[name] ?? Number.NaN)
  return {
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    resetAtMs: number('x-ratelimit-reset') * 1_000,
    retryAfterSeconds: number('retry-after'),
    retryAfterMs: number('retry-after-ms'),
  }
}

/** Whether an answer says that a limit is reached, by its status or by its code alone. */
function isLimited(exchange: Exchange): boolean {
  return exchange.status === 429 || codeIn(exchange) === 'rate_limit_exceeded'
}

/**
 * Asserts a 429 `rate_limit_exceeded` and, where `limit` is given, that the bucket is the one of that size. Whose it is
 * cannot be told where no limit is: that breaks what says that one is, and shows nothing else.
 */
export function expectLimited(exchange: Exchange, limit?: number): BucketHeaders {
  expectError(exchange, 'rate_limit_exceeded')
  const bucket = readBucket(exchange)
  if (limit === undefined) return bucket
  showing(isShown(TELLING) || !Number.isNaN(bucket.limit) ? shownRules() : [], () =>
    assert.equal(bucket.limit, limit, `the limit of ${bucket.limit} was told`),
  )
  return bucket
}

const TELLING = ['LIM-29'] as const

/**
 * Takes for granted that a key's own requests a minute stand: an answer that was admitted and tells of a wider bucket shows
 * that they do not (LIM-03), and with that nothing of how a bucket works.
 */
export function expectOwn(exchange: Exchange, limit: number): void {
  const { limit: told } = readBucket(exchange)
  showing([], () => assert.ok(!(told > limit), `the key has ${limit} a minute, and ${told} were told`))
}

/** The four headers that go with a 429 (HDR-06). */
export const limitHeaders = [
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
] as const

/** How a bucket was emptied. */
export interface Exhaustion {
  readonly admitted: number
  readonly elapsedMs: number
  /** The first refusal. */
  readonly refused: Exchange
}

/** How long a bucket is asked for its end (ours): beyond that more comes back than a slow machine asks for. */
const EMPTYING_MS = 30_000

/** Requests that run at a time while a bucket is emptied (ours). */
const AT_A_TIME = 12

/**
 * Sends chats until one is refused, at a bucket of `limit` a minute. Fails when more were admitted than it held and regained
 * since, however slow the product is, or when the refusal is not a 429. `NotTestable` where so few are answered in a time that
 * as many come back.
 */
export async function exhaust(
  context: Context,
  limit: number,
  optionsOf: (turn: number) => RequestOptions = () => ({}),
): Promise<Exhaustion> {
  const startedMs = Date.now()
  let [turn, admitted] = [0, 0]
  let refused: Exchange | undefined
  const isTooSlow = () => Date.now() - startedMs > context.patience(EMPTYING_MS)
  const worker = async () => {
    while (refused === undefined && !isTooSlow() && admitted <= mostIn(Date.now() - startedMs, limit)) {
      const exchange = await context.chat({ max_tokens: 1 }, optionsOf(turn++))
      if (exchange.status === 200) admitted++
      else refused ??= exchange
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, limit) }, worker))
  const elapsedMs = Date.now() - startedMs
  if (refused === undefined && admitted <= mostIn(elapsedMs, limit)) throw neverEmpty(admitted, elapsedMs)
  assert.ok(refused, `${admitted} requests were admitted where ${limit} a minute are allowed`)
  expectError(refused, 'rate_limit_exceeded')
  return { admitted, elapsedMs, refused }
}

/** Nothing speaks against a product that answers more slowly than its bucket fills. */
function neverEmpty(admitted: number, elapsedMs: number): NotTestable {
  return new NotTestable(
    `only ${admitted} requests were answered in ${elapsedMs} ms: as many come back meanwhile, and the bucket is never empty`,
  )
}

/**
 * Asks until a 429, at a bucket of `perMinute` that was full at `sinceMs` (Unix milliseconds) and has been used up.
 * Fails when more were admitted than the bucket held and regained since; `NotTestable` as above.
 */
export async function askUntilRefused(
  context: Pick<Context, 'patience'>,
  ask: (turn: number) => Promise<Exchange>,
  perMinute: number,
  sinceMs: number,
): Promise<Exchange> {
  for (let admitted = perMinute; ; ) {
    // Many at once: while they are asked for one by one, as many come back at a slow product.
    const answers = await Promise.all(Array.from({ length: AT_A_TIME }, (_, turn) => ask(turn)))
    const refused = answers.find(isLimited)
    if (refused) return refused
    admitted += answers.length
    const most = mostIn(Date.now() - sinceMs, perMinute)
    assert.ok(admitted <= most, `${admitted} were answered where ${most} may be`)
    const passedMs = Date.now() - sinceMs
    if (passedMs > context.patience(EMPTYING_MS)) throw neverEmpty(admitted, passedMs)
  }
}

/** The most requests that a full bucket of `perMinute` admits in a time: what it holds and what it regains. */
export function mostIn(elapsedMs: number, perMinute: number): number {
  return perMinute + Math.ceil((elapsedMs * perMinute) / 60_000)
}

/** Milliseconds that emptying a workspace's bucket takes at a hundred requests a second. */
export function exhaustionMs({ requestsPerMinute }: { readonly requestsPerMinute: number }): number {
  return requestsPerMinute * 10
}
