import { isObject } from '#base/object.ts'
import type { ControlBooks, ControlDebits } from '#contract/models'
import { eventsOf } from './http/events.ts'
import { type Exchange, isEventStream, textOf } from './http/exchange.ts'
import { parseJson } from './http/json.ts'
import { toldLate } from './told-late.ts'

/** What a scenario saw and left behind at one subject. */
export interface Trace {
  readonly exchanges: readonly Exchange[]
  readonly books: readonly ControlBooks[]
  /** Where a target tells no more of its books. */
  readonly debits: readonly ControlDebits[]
}

/** Headers that have to be the same through the proxy. */
const COMPARED_HEADERS = [
  'content-type',
  'cache-control',
  'x-accel-buffering',
  'retry-after',
  'x-should-retry',
  'x-ratelimit-limit',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-allow-headers',
]

/** Members whose value is another at each request. */
const VOLATILE = new Set([
  'created',
  'created_at',
  'key_id',
  'workspace_id',
  'latency_ms',
  'time_to_first_token_ms',
  'tokens_per_second',
  // A bundle may be signed anew in between.
  'issuedAt',
  'jws',
])

/** Ids of any kind: a prefix and a ULID. */
const ID = /\b(gen-|led_|key_|ws_|req-)[0-9A-HJKMNP-TV-Z]{26}\b/g

/** Other texts that are another each time: an invitation's code, and how long a bucket takes to admit. */
const CHANCE = /\b[2-9A-HJKMNP-TV-Z]{4}(-[2-9A-HJKMNP-TV-Z]{4}){2}\b|\bin \d+ s\b/g

/**
 * Lists what differs through the proxy, a line each: status, headers, bodies, records and ledger, but for ids and
 * times. An answer that broke off on either side is compared in that alone.
 */
export function compareTraces(router: Trace, proxy: Trace): readonly string[] {
  if (router.exchanges.length !== proxy.exchanges.length) {
    return [`${router.exchanges.length} exchanges at the router, ${proxy.exchanges.length} through the proxy`]
  }
  return [
    ...router.exchanges.flatMap((exchange, index) => compare(exchange, proxy.exchanges[index]!, index + 1)),
    ...differ('the books', router.books.map(plainBooks), proxy.books.map(plainBooks)),
    ...differ('the debits', router.debits.map(plainDebits), proxy.debits.map(plainDebits)),
  ]
}

function compare(router: Exchange, proxy: Exchange, number: number): readonly string[] {
  const name = `answer ${number} (${router.sent.method} ${new URL(router.sent.url).pathname})`
  if (router.ending !== 'complete' || proxy.ending !== 'complete') {
    return differ(`the end of ${name}`, router.ending, proxy.ending)
  }
  // Whether pings had begun when a backend failed is chance.
  const [late, later] = [toldLate(router), toldLate(proxy)]
  if ((late === undefined) !== (later === undefined)) {
    return differ(`the error of ${name}`, plain(late ?? plainBody(router)), plain(later ?? plainBody(proxy)))
  }
  return [
    ...differ(`the status of ${name}`, router.status, proxy.status),
    ...COMPARED_HEADERS.filter((header) => !isChance(header, router)).flatMap((header) =>
      differ(`${header} of ${name}`, router.headers[header], proxy.headers[header]),
    ),
    ...differ(`the body of ${name}`, plainBody(router), plainBody(proxy)),
  ]
}

/** Whether a header's value depends on the moment: the `Retry-After` of a 429. */
function isChance(header: string, { status }: Exchange): boolean {
  return header === 'retry-after' && status === 429
}

function plainBody(exchange: Exchange): unknown {
  if (isEventStream(exchange)) {
    // Pings come when they come.
    return eventsOf(exchange).events.flatMap(({ data }) => (data === undefined ? [] : [plain(parse(data))]))
  }
  return plain(withoutExternal(parse(textOf(exchange))))
}

/** A list of models without those of external upstreams: they come and go with verdicts. */
function withoutExternal(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.data)) return value
  const isExternal = (one: unknown) =>
    isObject(one) && one.object === 'model' && isObject(one.endpoint) && one.endpoint.tee === undefined
  return { ...value, data: value.data.filter((one) => !isExternal(one)) }
}

function plainDebits({ balance_micros, rows, generations }: ControlDebits): unknown {
  const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(plain(one))).sort()
  return { balance_micros, rows: sorted(rows), generations: sorted(generations) }
}

function plainBooks({ balance_micros, entries, generations, holds }: ControlBooks): unknown {
  const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(plain(row))).sort()
  // The balance after each row depends on the order in which parallel requests end.
  const amounts = entries.map(({ kind, amount_micros, description }) => ({
    kind,
    amount_micros,
    description,
  }))
  return { balance_micros, entries: sorted(amounts), generations: sorted(generations), holds: holds.length }
}

/** A value without what is another at each request. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ID, '$1…').replace(CHANCE, '…')
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, VOLATILE.has(name) ? '…' : plain(member)]),
  )
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function differ(what: string, router: unknown, proxy: unknown): readonly string[] {
  const [atRouter, throughProxy] = [JSON.stringify(router), JSON.stringify(proxy)]
  if (atRouter === throughProxy) return []
  return [
    `${what} differs: ${atRouter?.slice(0, 300)} at the router, ${throughProxy?.slice(0, 300)} through the proxy`,
  ]
}
