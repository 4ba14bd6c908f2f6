import { hash } from 'node:crypto'
import type { Applicant } from '../admission/applicant.ts'
import { type Caller, createCaller } from '../admission/caller.ts'
import { createKeyFinder } from '../admission/key-finder.ts'
import { type Buckets, createBuckets } from '../limits/buckets.ts'
import { createMemoryStore } from '../limits/memory.ts'
import { silent } from '../log.ts'
import { createMeter, type Meter, type MeterOptions } from '../meter.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { createKey, type KeySettings } from '../store/keys.ts'
import { createWorkspace } from '../store/workspaces.ts'
import type { AskedGeneration, GenerationEnd } from './generation.ts'
import { postEntry } from './ledger.ts'
import { createSettlementPool, type SettlementPool } from './settlement-pool.ts'

/** A workspace with a balance and one key, and requests made with it. */
export interface Account {
  readonly workspaceId: string
  readonly keyId: string
  readonly caller: Caller
  applicant(change?: Partial<AskedGeneration & Omit<Applicant, 'generation'>>): Applicant
}

/** The demo's prices, and a hold from the worked numbers (CRED-37). */
export const pricing = { promptMicros: 150_000, completionMicros: 600_000 }
export const HOLD_MICROS = 10_044

/** 12 + 34 tokens at the demo's prices: 23 micro-dollars. */
export const finished: GenerationEnd = {
  status: 'ok',
  finishReason: 'stop',
  usage: { promptTokens: 12, completionTokens: 34 },
  usageSource: 'backend',
  latencyMs: 120,
  timeToFirstTokenMs: 20,
}
export const COST_MICROS = 23

/** A generation that a request asks for. */
export function askedGeneration(): AskedGeneration {
  return {
    id: createId('gen-'),
    requestId: 'req-1',
    operation: 'chat',
    streamed: true,
    model: 'demo/tiny-chat',
    endpoint: 'demo',
    evidenceDigest: null,
    pricing,
    promptBoundTokens: 1_424,
    outputCapTokens: 16_384,
    countedPromptTokens: 12,
    startedAtMs: performance.now(),
    createdAt: new Date(),
  }
}

/** Makes an account; the balance is posted as a top-up. */
export async function createAccount(
  sql: Sql,
  { balanceMicros = 5_000_000n, ...settings }: KeySettings & { readonly balanceMicros?: bigint } = {},
): Promise<Account> {
  const { id: workspaceId } = await createWorkspace(sql, 'Test')
  if (balanceMicros !== 0n) {
    const kind = balanceMicros > 0n ? 'top_up' : 'adjustment'
    await postEntry(sql, { workspaceId, kind, amountMicros: balanceMicros, description: 'Test credit' })
  }
  const { key, plaintext } = await createKey(sql, workspaceId, { name: 'Test', ...settings })
  const keyHash = hash('sha256', plaintext, 'hex')
  const own = createCaller(createKeyFinder(sql), keyHash, {})
  return {
    workspaceId,
    keyId: key.id,
    caller: own,
    applicant({ caller = own, holdMicros = HOLD_MICROS, ...change } = {}) {
      return { caller, holdMicros, generation: { ...askedGeneration(), ...change } }
    },
  }
}

/** Buckets in memory that are larger than any test. */
export function wideBuckets(): Buckets {
  const defaults = { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }
  return createBuckets(createMemoryStore(Date.now), defaults)
}

/** Settlement's where it has none of its own. */
export function onlyPool(sql: Sql): SettlementPool {
  return createSettlementPool({ shared: sql, own: sql, warm: async () => {}, log: silent })
}

/** A started meter that keeps quiet. */
export async function startMeter(sql: Sql, options: Partial<MeterOptions> = {}): Promise<Meter> {
  const meter = createMeter({
    sql,
    allowOverdraftMicros: () => 0,
    buckets: wideBuckets(),
    log: silent,
    ...options,
  })
  await meter.start()
  return meter
}

/**
 * Has the meter hear of a key: its first request costs a statement that places no hold, because the key's limits are
 * not known yet. This one costs no credit either.
 */
export async function introduce(meter: Meter, account: Account): Promise<void> {
  const free = { promptMicros: 0, completionMicros: 0 }
  const first = await meter.accept(account.applicant({ holdMicros: 0, pricing: free }))
  await first.settle(finished)
}

/** Waits until `condition` holds; the caller's test has the time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** A database that does the statements which mention `text`, but loses the answers to the next so many. */
export function losingAnswers(sql: Sql, text: string): { sql: Sql; lose(times: number): void } {
  let left = 0
  const losing = new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray, ...never[]]) {
      const query = Reflect.apply(target, self, args)
      if (left === 0 || !args[0].raw?.join('').includes(text)) return query
      left--
      return query.then(() => {
        throw Object.assign(new Error('the answer was lost'), { code: 'CONNECTION_CLOSED' })
      })
    },
  })
  return {
    sql: losing,
    lose(times) {
      left = times
    },
  }
}
