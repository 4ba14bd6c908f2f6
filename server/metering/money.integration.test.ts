import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asApiError } from '../errors.ts'
import { silent } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Sql } from '../store/connection.ts'
import { createDatabaseClock } from '../store/database-clock.ts'
import { updateKey } from '../store/keys.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import type { RunningGeneration } from './generation.ts'
import { postEntry } from './ledger.ts'
import { createReaper } from './reaper.ts'
import { createRunningSet } from './running.ts'
import { createSettlement, type SettlementItem } from './settlement.ts'
import { type Account, createAccount, finished, onlyPool, startMeter, wideBuckets } from './testing.ts'
import { verifyLedger } from './verify-ledger.ts'

const NEVER_MS = 1_000_000_000
/** So long that only what is made to look old lapses: holds of other runs stay where they are. */
const LEASE_MS = 1_800_000

/** Prices and bounds of what is asked, and what of them is used at the end. */
interface Asked {
  readonly promptMicros: number
  readonly completionMicros: number
  readonly promptBound: number
  readonly outputCap: number
  readonly prompt: number
  readonly completion: number
}

/** One accepted request. `isAsleep`: its router renews no lease. */
interface Open {
  readonly asked: Asked
  readonly generation: RunningGeneration
  readonly isAsleep: boolean
}

/** What the books of one account have to say: whole micro-dollars, added by hand. */
interface Book {
  readonly spendLimit: bigint | undefined
  balance: bigint
  spent: bigint
  rows: bigint
  records: bigint
  isExpired: boolean
  readonly posted: Set<string>
  open: Open[]
}

interface Real {
  readonly account: Account
}

let server: TestServer
let sql: Sql
let awake: Meter
let asleep: Meter

/** Carries out the next settlement, then calls this and loses the answer. */
let onLost: (() => void) | undefined

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  awake = await startMeter(losing(sql), { timers: { reapMs: NEVER_MS } })
  asleep = await startMeter(sql, { timers: { renewMs: NEVER_MS, reapMs: NEVER_MS } })
})

afterAll(async () => {
  await Promise.all([awake.stop(), asleep.stop()])
  await server.stop()
})

function losing(real: Sql): Sql {
  return new Proxy(real, {
    apply(target, self, args: [TemplateStringsArray, ...never[]]) {
      const query = Reflect.apply(target, self, args)
      const lost = onLost
      if (lost === undefined || !args[0].raw?.join('').includes('settle_generations')) return query
      onLost = undefined
      return query.then(() => {
        lost()
        throw Object.assign(new Error('the answer was lost'), { code: 'CONNECTION_CLOSED' })
      })
    },
  })
}

/** Rounded up once. */
function priceOf({ promptMicros, completionMicros }: Asked, prompt: number, completion: number): bigint {
  const parts = BigInt(prompt) * BigInt(promptMicros) + BigInt(completion) * BigInt(completionMicros)
  return parts / 1_000_000n + (parts % 1_000_000n > 0n ? 1n : 0n)
}

const holdOf = ({ asked }: Pick<Open, 'asked'>): bigint => priceOf(asked, asked.promptBound, asked.outputCap)
const heldIn = ({ open }: Book): bigint => open.reduce((sum, one) => sum + holdOf(one), 0n)

/** Why a request is refused; undefined when it is accepted. */
function refusalBy(book: Book, hold: bigint): string | undefined {
  if (book.isExpired) return 'api_key_expired'
  if (hold > 0n && book.balance <= heldIn(book)) return 'insufficient_credits'
  if (book.spendLimit !== undefined && book.spendLimit - book.spent - heldIn(book) <= 0n)
    return 'key_spend_limit_reached'
  return undefined
}

function end(book: Book, one: Open, cost: bigint): void {
  book.open = book.open.filter((other) => other !== one)
  book.balance -= cost
  book.spent += cost
  book.rows += 1n
  book.records += 1n
}

/** Whatever was done: the columns say what the model says. */
async function expectSame({ account }: Real, book: Book): Promise<void> {
  const [row] = await sql`
    select w.balance_micros, w.held_micros, w.ledger_entries, k.spent_micros, k.held_micros as key_held_micros,
      (select count(*) from holds h where h.workspace_id = w.id) as holds,
      (select count(*) from generations g where g.workspace_id = w.id) as records
    from workspaces w join api_keys k on k.workspace_id = w.id
    where w.id = ${account.workspaceId}`
  expect(row).toEqual({
    balance_micros: book.balance,
    held_micros: heldIn(book),
    ledger_entries: book.rows,
    spent_micros: book.spent,
    key_held_micros: heldIn(book),
    holds: BigInt(book.open.length),
    records: book.records,
  })
}

/** A command of which only the act differs. */
function command(name: string, act: (book: Book, real: Real) => Promise<void>): fc.AsyncCommand<Book, Real> {
  return {
    check: () => true,
    async run(book, real) {
      await act(book, real)
      await expectSame(real, book)
    },
    toString: () => name,
  }
}

async function ask(book: Book, { account }: Real, asked: Asked, isAsleep: boolean): Promise<void> {
  const { promptMicros, completionMicros, promptBound, outputCap, prompt } = asked
  const hold = holdOf({ asked })
  const applicant = account.applicant({
    holdMicros: Number(hold),
    pricing: { promptMicros, completionMicros },
    promptBoundTokens: promptBound,
    outputCapTokens: outputCap,
    countedPromptTokens: prompt,
  })
  const refusal = refusalBy(book, hold)
  const admitted = (isAsleep ? asleep : awake).accept(applicant)
  if (refusal === undefined) book.open.push({ asked, generation: await admitted, isAsleep })
  else expect(asApiError(await admitted.catch((error: unknown) => error)).code).toBe(refusal)
}

const admit = (asked: Asked, isAsleep: boolean) =>
  command(`admit(${JSON.stringify(asked)}, ${isAsleep ? 'asleep' : 'awake'})`, (book, real) =>
    ask(book, real, asked, isAsleep),
  )

/** Holds all that is left, to the micro-dollar; the next one finds nothing. */
const admitRest = command('admit(the rest)', async (book, real) => {
  const rest = Number(book.balance - heldIn(book))
  if (rest <= 0) return
  const one = { promptMicros: 1_000_000, completionMicros: 0, promptBound: rest, outputCap: 0 }
  await ask(book, real, { ...one, prompt: 1, completion: 0 }, false)
})

/** One of the open ones, by a number that may be any; nothing where none is open. */
function pick(book: Book, place: number): Open | undefined {
  return book.open[place % Math.max(1, book.open.length)]
}

const settle = (place: number, status: 'ok' | 'aborted', isLost: boolean) =>
  command(`settle(${place}, ${status}${isLost ? ', answer lost' : ''})`, async (book) => {
    const one = pick(book, place)
    if (one === undefined) return
    const { prompt, completion } = one.asked
    const usage = { promptTokens: prompt, completionTokens: completion }
    const cost = priceOf(one.asked, prompt, completion)
    if (isLost && !one.isAsleep) onLost = () => undefined
    const receipt = await one.generation.settle({ ...finished, status, usage })
    expect(receipt.costMicros).toBe(Number(cost))
    // Settling twice is settling once (CRED-28).
    expect(await one.generation.settle({ ...finished, status, usage })).toBe(receipt)
    end(book, one, cost)
  })

const withhold = (place: number) =>
  command(`withhold(${place})`, async (book, { account }) => {
    const one = pick(book, place)
    if (one === undefined) return
    const { prompt, completion } = one.asked
    const cost = priceOf(one.asked, prompt, completion)
    const left = priceOf(one.asked, prompt, 0)
    const item: SettlementItem = {
      workspaceId: account.workspaceId,
      generationId: one.generation.id,
      status: 'ok',
      finishReason: 'stop',
      promptTokens: prompt,
      completionTokens: completion,
      costMicros: Number(cost),
      usageSource: 'backend',
      latencyMs: 1,
      timeToFirstTokenMs: null,
    }
    const { replica } = one.isAsleep ? asleep : awake
    const settlement = createSettlement({
      pool: onlyPool(losing(sql)),
      replica,
      clock: createDatabaseClock(),
      log: silent,
    })
    const withheld: SettlementItem = {
      ...item,
      status: 'aborted',
      completionTokens: 0,
      costMicros: Number(left),
    }
    // It is committed as delivered, nobody hears of it, and its client is told of an error.
    onLost = () => settling.withhold()
    const settling = settlement.settle(item, {
      untilMs: performance.now() + NEVER_MS,
      withheld: () => withheld,
    })
    expect(await settling.written).toBe('withheld')
    end(book, one, cost)
    book.balance += cost - left
    book.spent -= cost - left
    // Nothing is refunded where nothing was paid too much.
    if (cost > left) book.rows += 1n
  })

const post = (kind: 'top_up' | 'refund' | 'adjustment', amount: number, name: string) =>
  command(`post(${kind}, ${amount}, ${name})`, async (book, { account }) => {
    const idempotencyKey = `${kind}:${name}:${amount}`
    const entry = { workspaceId: account.workspaceId, kind, amountMicros: BigInt(amount), description: name }
    const posted = await postEntry(sql, { ...entry, idempotencyKey })
    expect(posted?.isRepeated).toBe(book.posted.has(idempotencyKey))
    if (book.posted.has(idempotencyKey)) return
    book.posted.add(idempotencyKey)
    book.balance += BigInt(amount)
    book.rows += 1n
  })

const lapse = command('lapse', async (book, { account }) => {
  const orphans = book.open.filter(({ isAsleep }) => isAsleep)
  const { workspaceId } = account
  await sql`update holds set placed_at = placed_at - interval '1 hour'
    where workspace_id = ${workspaceId} and replica_id = ${asleep.replica}`
  await sql`update replicas set lapses_at = clock_timestamp() - interval '1 second' where id = ${asleep.replica}`
  await sql`update replicas set in_contact_since = clock_timestamp() - interval '1 hour', renewed_at = clock_timestamp()
    where id = ${awake.replica}`
  const settlement = createSettlement({
    pool: onlyPool(sql),
    replica: awake.replica,
    clock: createDatabaseClock(),
    log: silent,
  })
  const reaper = createReaper({
    sql,
    replica: awake.replica,
    leaseMs: LEASE_MS,
    settlement,
    running: createRunningSet(),
    buckets: wideBuckets(),
    log: silent,
  })
  await reaper.reap()
  expect(reaper.reaped.lapsed).toBe(orphans.length)
  for (const one of orphans) {
    await expect(one.generation.settle(finished)).rejects.toMatchObject({ reason: 'reaped' })
    end(book, one, priceOf(one.asked, one.asked.prompt, 0))
  }
})

const expire = (isExpired: boolean) =>
  command(isExpired ? 'expire the key' : 'revive the key', async (book, { account }) => {
    await updateKey(sql, account.keyId, { expiresAt: isExpired ? new Date(0) : null })
    book.isExpired = isExpired
  })

const price = fc.oneof(fc.constantFrom(0, 1, 999_999, 1_000_000, 1_000_000), fc.nat(20_000_000))
const tokens = fc.oneof(fc.nat(3), fc.nat(2_000))
const asked: fc.Arbitrary<Asked> = fc
  .record({ promptMicros: price, completionMicros: price, promptBound: tokens, outputCap: tokens })
  .chain((bounds) =>
    fc.record({
      promptMicros: fc.constant(bounds.promptMicros),
      completionMicros: fc.constant(bounds.completionMicros),
      promptBound: fc.constant(bounds.promptBound),
      outputCap: fc.constant(bounds.outputCap),
      prompt: fc.nat(bounds.promptBound),
      completion: fc.nat(bounds.outputCap),
    }),
  )
/** Small ones meet: what is held and what there is are often the same to the micro-dollar. */
const balances = fc.oneof(fc.nat(3), fc.nat(100_000))
const place = fc.nat(20)
const amounts = fc.oneof(fc.constantFrom(1, 2, 1_000_000), fc.nat(50_000))
const names = fc.constantFrom('first', 'second')

const commands = fc.commands(
  [
    fc.tuple(asked, fc.boolean()).map(([one, isAsleep]) => admit(one, isAsleep)),
    fc.tuple(asked, fc.boolean()).map(([one, isAsleep]) => admit(one, isAsleep)),
    fc
      .tuple(place, fc.constantFrom('ok' as const, 'aborted' as const), fc.boolean())
      .map(([at, status, isLost]) => settle(at, status, isLost)),
    place.map(withhold),
    fc
      .tuple(fc.constantFrom('top_up' as const, 'refund' as const), amounts, names)
      .map(([kind, amount, name]) => post(kind, amount, name)),
    fc.tuple(amounts, names).map(([amount, name]) => post('adjustment', -amount, name)),
    fc.constant(admitRest),
    fc.constant(lapse),
    fc.boolean().map(expire),
  ],
  { maxCommands: 30 },
)

test('whatever is admitted, settled, withheld, posted, expired and reaped, in whatever order: the money is what adding it up by hand gives', async () => {
  const limits = fc.option(balances, { nil: undefined })
  await fc.assert(
    fc.asyncProperty(balances, limits, commands, async (balance, spendLimit, sequence) => {
      const limit = spendLimit === undefined ? {} : { spendLimitMicros: BigInt(spendLimit) }
      const account = await createAccount(sql, { balanceMicros: BigInt(balance), ...limit })
      const setup = () => ({
        real: { account },
        model: {
          spendLimit: limit.spendLimitMicros,
          balance: BigInt(balance),
          spent: 0n,
          rows: balance === 0 ? 0n : 1n,
          records: 0n,
          isExpired: false,
          posted: new Set<string>(),
          open: [],
        },
      })
      await fc.asyncModelRun(setup, sequence)
      expect((await verifyLedger(sql)).differences).toEqual([])
    }),
    { numRuns: 100, endOnFailure: true },
  )
})
