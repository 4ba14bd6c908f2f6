import type { TransactionSql } from 'postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openCells } from '../cells/open-cells.ts'
import { silent } from '../log.ts'
import { createMeter } from '../meter.ts'
import { postEntry } from '../metering/ledger.ts'
import { type Account, createAccount, finished, wideBuckets } from '../metering/testing.ts'
import { readUsage } from '../metering/usage-report.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import { claimCell, claimHome } from '../store/cell-identity.ts'
import { type DatabaseCell, HOME } from '../store/cells.ts'
import { connect, type Sql } from '../store/connection.ts'
import { findCell, placeAtHome, placeKey, placeWorkspace } from '../store/directory.ts'
import { createKey, revokeKey, updateKey } from '../store/keys.ts'
import { migrate } from '../store/migrations.ts'
import { beginMove, findElsewhere, findOpenMove } from '../store/moves.ts'
import { HASTY, startTestServer, type TestServer } from '../store/testing.ts'
import { setWorkspaceLimits } from '../store/workspaces.ts'
import { countStill } from './count-still.ts'
import { type MoveWorld, requireFree, runMove } from './move.ts'
import type { MoveStep } from './steps.ts'

let server: TestServer
let home: { url: string; sql: Sql }
let other: { url: string; sql: Sql }

beforeAll(async () => {
  server = await startTestServer({ ...HASTY, wal_level: 'logical', max_replication_slots: '20' })
  home = await server.open(6)
  other = await server.open(6)
  await claimCell(other.sql, await claimHome(home.sql), 'other')
}, 120_000)

afterAll(() => server.stop())

const ACTOR = { name: 'ada@example.com', through: 'command_line' } as const
const databases = { home: () => home, other: () => other }
type Cell = keyof typeof databases

/** A workspace that has used some of its balance, with two keys, limits of its own and a correction. */
async function createUsed(cell: Cell): Promise<Account> {
  const { sql } = databases[cell]()
  const account = await createAccount(sql)
  const { workspaceId, keyId, caller } = account
  if (cell === 'other') {
    await placeWorkspace(home.sql, workspaceId, 'other')
    await placeKey(home.sql, { keyHash: Buffer.from(caller.keyHash, 'hex'), keyId, workspaceId })
  }
  await setWorkspaceLimits(sql, workspaceId, { requestsPerMinute: 1_000_000 })
  const meter = openMeter()
  await meter.start()
  for (let index = 0; index < 5; index++) await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  const [first] = await sql<{ id: string }[]>`
    select id from generations where workspace_id = ${workspaceId} order by id limit 1`
  await sql`select correct_generations(
    ${[workspaceId]}::text[], ${[first!.id]}::text[], ${[0]}::bigint[], ${[2]}::bigint[], ${['led_x']}::text[])`
  return account
}

/** A router's meter over both cells. */
function openMeter() {
  const cellOf = (name: string, sql: Sql): DatabaseCell => ({ name, sql, prepare: async () => 0 })
  const { meter } = openCells({
    cells: [cellOf(HOME, home.sql), cellOf('other', other.sql)],
    meterOn: ({ sql }) =>
      createMeter({ sql, allowOverdraftMicros: () => 0, buckets: wideBuckets(), log: silent }),
    log: silent,
  })
  return meter
}

function worldOf(from: Cell, to: Cell, changes: Partial<MoveWorld> = {}): MoveWorld {
  const [{ sql: source, url: sourceUrl }, { sql: target }] = [databases[from](), databases[to]()]
  const own = { home: home.sql, source, target, sourceUrl, actor: ACTOR, pauseMs: 60_000, isCancelled: false }
  return { ...own, tell: () => {}, ...changes }
}

/** From the beginning, or from where it was broken off. */
async function move(from: Cell, to: Cell, workspaceId: string, changes: Partial<MoveWorld> = {}) {
  const world = worldOf(from, to, changes)
  const known = await findOpenMove(home.sql, workspaceId)
  if (known) return await runMove(world, known)
  await requireFree(world, { workspaceId, from, to })
  await placeAtHome(home.sql, workspaceId)
  return await runMove(world, await beginMove(home.sql, { workspaceId, from, to }))
}

/** All that a cell has of a workspace. */
async function contents(sql: Sql, workspaceId: string) {
  const own = sql`workspace_id = ${workspaceId}`
  return {
    workspace: await sql`select * from workspaces where id = ${workspaceId}`,
    keys: await sql`select * from api_keys where ${own} order by id`,
    hashes: await sql`select * from key_directory where ${own} order by key_id`,
    records: await sql`select * from generations where ${own} order by id`,
    corrections: await sql`select * from withheld_generations where ${own} order by id`,
    ledger: await sql`select * from ledger where ${own} order by number`,
    limits: await sql`select * from workspace_limit_changes where ${own} order by number`,
    usage: await sql`select * from usage_totals where ${own} order by grain, begins_at, key_id, model`,
  }
}

/** Asserts that all databases together count each row once, and that ledger, records and balances agree. */
async function expectSound(): Promise<void> {
  const elsewhere = await findElsewhere(home.sql)
  for (const [name, { sql }] of Object.entries({ home, other })) {
    expect(await verifyLedger(sql, elsewhere.get(name))).toMatchObject({ open_holds: 0, differences: [] })
  }
}

test.each([
  ['home', 'other'],
  ['other', 'home'],
] as const)(
  'a workspace moves from %s to %s with all that is its own',
  async (from, to) => {
    const account = await createUsed(from)
    const { workspaceId } = account
    const [source, target] = [databases[from]().sql, databases[to]().sql]
    const before = await contents(source, workspaceId)
    expect(await move(from, to, workspaceId)).toMatchObject({ state: 'done' })
    expect(await findCell(home.sql, workspaceId)).toBe(to)
    expect(await contents(target, workspaceId)).toEqual(before)
    expect(before.usage.length).toBeGreaterThan(0)
    expect((await contents(source, workspaceId)).hashes).toEqual([])
    for (const sql of [source, target]) {
      expect(await sql`select from withdrawn_keys where workspace_id = ${workspaceId}`).toEqual([])
      expect(await sql`select from pg_publication`).toEqual([])
      expect(
        await sql`select from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())`,
      ).toEqual([])
    }
    expect(await source`select from pg_replication_slots`).toEqual([])
    const [act] =
      await home.sql`select act, details from audit where subject = ${workspaceId} and act = 'workspace_moved'`
    expect(act).toEqual({ act: 'workspace_moved', details: { from, to } })
    const meter = openMeter()
    await meter.start()
    await (await meter.accept(account.applicant())).settle(finished)
    await meter.stop()
    expect(await target`select from generations where workspace_id = ${workspaceId}`).toHaveLength(6)
    expect(await source`select from generations where workspace_id = ${workspaceId}`).toHaveLength(5)
    await expectSound()
  },
  120_000,
)

/** A mover of which nothing reaches a database any more from a moment on. */
function mortal(world: MoveWorld): { readonly world: MoveWorld; kill(): void } {
  let isDead = false
  const requireLife = () => {
    if (isDead) throw new Error('killed')
  }
  const bound = (sql: Sql): Sql =>
    new Proxy(sql, {
      apply(target, self, args) {
        requireLife()
        return Reflect.apply(target, self, args)
      },
      get(target, name) {
        requireLife()
        return Reflect.get(target, name)
      },
    })
  return {
    world: { ...world, home: bound(world.home), source: bound(world.source), target: bound(world.target) },
    kill: () => {
      isDead = true
    },
  }
}

/** Whoever moves is killed as that step begins. */
function dyingAt(step: MoveStep, from: Cell, to: Cell): MoveWorld {
  const { world, kill } = mortal(worldOf(from, to))
  return {
    ...world,
    tell(told) {
      if (told !== step) return
      kill()
      throw new Error('killed')
    },
  }
}

/** A router that serves the account without a pause; `stop` resolves how many were served, and what it was refused with. */
function serve(account: Account) {
  const meter = openMeter()
  const refusals = new Set<string>()
  let isOver = false
  let served = 0
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const running = await meter.accept(account.applicant()).catch((error: { code?: string }) => {
        refusals.add(error.code ?? String(error))
      })
      if (!running) await new Promise((resolve) => setImmediate(resolve))
      else {
        await running.settle(finished)
        served++
      }
    }
  }
  const loops = meter.start().then(() => Promise.all(Array.from({ length: 4 }, loop)))
  return {
    serves: () => vi.waitUntil(() => served > 0, { timeout: 60_000 }),
    async stop() {
      isOver = true
      await loops
      await meter.stop()
      return { served, refusals: [...refusals] }
    },
  }
}

const steps = [
  'publish',
  'expect',
  'copy',
  'pause',
  'withdraw',
  'close',
  'follow',
  'compare',
  'commit',
  'release',
  'admit',
  'switch',
  'tidy',
  'end',
] as const satisfies readonly MoveStep[]

test.each(steps)(
  'a move that was broken off at %s goes on by the same command, and no row is lost, doubled or written in two cells',
  async (step) => {
    const account = await createUsed('home')
    const { workspaceId } = account
    const router = serve(account)
    await router.serves()
    await expect(move('home', 'other', workspaceId, dyingAt(step, 'home', 'other'))).rejects.toThrow('killed')

    // Whoever has not heard of the move posts where the workspace was, or where it goes.
    const posted = await Promise.allSettled(
      [home.sql, other.sql].map((sql) =>
        postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 7n, description: 'Probe' }),
      ),
    )
    const taken = posted.filter((one) => one.status === 'fulfilled' && one.value !== undefined).length
    expect(taken).toBeLessThanOrEqual(1)

    expect(await move('home', 'other', workspaceId)).toMatchObject({ state: 'done' })
    const before = await other.sql`select from generations where workspace_id = ${workspaceId}`
    await vi.waitUntil(
      async () =>
        (await other.sql`select from generations where workspace_id = ${workspaceId}`).length > before.length,
      { timeout: 60_000 },
    )
    const { served, refusals } = await router.stop()
    expect(refusals.filter((code) => code !== 'overloaded')).toEqual([])
    const { records, ledger, workspace } = await contents(other.sql, workspaceId)
    expect(records).toHaveLength(5 + served)
    expect(new Set(ledger.map(({ id }) => id)).size).toBe(ledger.length)
    const sum = ledger.reduce((total, row) => total + (row.amount_micros as bigint), 0n)
    expect(workspace[0]).toMatchObject({ balance_micros: sum, held_micros: 0n })
    expect(ledger.filter(({ description }) => description === 'Probe')).toHaveLength(taken)
    await expectSound()
  },
  120_000,
)

test('a workspace whose requests do not end in time goes on where it was, and moves when they have ended', async () => {
  const account = await createUsed('home')
  const { workspaceId } = account
  const meter = openMeter()
  await meter.start()
  const running = await meter.accept(account.applicant())
  await expect(move('home', 'other', workspaceId, { pauseMs: 500 })).rejects.toThrow('could not be paused')
  expect(await findOpenMove(home.sql, workspaceId)).toMatchObject({ state: 'copying' })
  await (await meter.accept(account.applicant())).settle(finished)
  await running.settle(finished)
  expect(await move('home', 'other', workspaceId)).toMatchObject({ state: 'done' })
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  expect((await contents(other.sql, workspaceId)).records).toHaveLength(8)
  await expectSound()
}, 120_000)

test('what a workspace leaves refuses every change, and a move that is given up leaves it as it was', async () => {
  const { workspaceId, keyId, ...account } = await createUsed('home')
  const { sql } = home
  await expect(move('home', 'other', workspaceId, dyingAt('follow', 'home', 'other'))).rejects.toThrow(
    'killed',
  )
  const [record] = await sql<{ id: string }[]>`
    select id from generations where workspace_id = ${workspaceId} order by id desc limit 1`
  const changes = {
    credit: () => postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 1n, description: 'Late' }),
    create: () => createKey(sql, workspaceId, { name: 'Late' }),
    update: () => updateKey(sql, keyId, { name: 'Late' }),
    limit: () => setWorkspaceLimits(sql, workspaceId, { requestsPerMinute: 1 }),
    correct: () => sql`select correct_generations(
      ${[workspaceId]}::text[], ${[record!.id]}::text[], ${[0]}::bigint[], ${[2]}::bigint[], ${['led_y']}::text[])`,
    revoke: () => revokeKey(sql, keyId),
  }
  const before = await contents(sql, workspaceId)
  for (const change of Object.values(changes))
    await expect(change()).rejects.toThrow('is moving to another cell')
  expect(await contents(sql, workspaceId)).toEqual(before)
  const meter = openMeter()
  await meter.start()
  await expect(meter.accept(account.applicant())).rejects.toMatchObject({ code: 'overloaded' })

  const given = { isCancelled: true }
  expect(await move('home', 'other', workspaceId, given)).toMatchObject({ state: 'cancelled' })
  expect(await sql`select from pg_replication_slots`).toEqual([])
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  for (const change of Object.values(changes)) await change()
  await expectSound()
  await expect(move('home', 'other', workspaceId)).rejects.toThrow(
    `Rows of ${workspaceId} lie in the cell other`,
  )
}, 120_000)

/** A database as one has it who is stopped within a transaction, before the statement that says `text`. */
function stoppingAt(text: string, sql: Sql, onStop: () => void): Sql {
  const isIt = ([words]: unknown[]) => Array.isArray(words) && words.join('').includes(text)
  const stoppable = (transaction: TransactionSql) =>
    new Proxy(transaction, {
      apply: (target, self, words) =>
        isIt(words) ? new Promise(() => onStop()) : Reflect.apply(target, self, words),
    })
  const begin = (...given: unknown[]) => {
    const work = given.pop() as (transaction: TransactionSql) => unknown
    return Reflect.apply(sql.begin, sql, [
      ...given,
      (transaction: TransactionSql) => work(stoppable(transaction)),
    ])
  }
  return new Proxy(sql, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) })
}

test('whoever is stopped while a workspace is being closed holds nobody up for long', async () => {
  const { workspaceId } = await createUsed('home')
  const stopped = Promise.withResolvers<void>()
  const source = stoppingAt('insert into closed_workspaces', home.sql, stopped.resolve)
  const moving = move('home', 'other', workspaceId, { source }).catch((error: unknown) => error)
  expect(await Promise.race([stopped.promise, moving])).toBeUndefined()
  const entry = { workspaceId, kind: 'top_up', amountMicros: 7n, description: 'Beside' } as const
  expect(await postEntry(home.sql, entry)).toBeDefined()
  // Whoever is woken up finds its transaction gone.
  expect(await moving).toBeInstanceOf(Error)
  expect(await move('home', 'other', workspaceId, { isCancelled: true })).toMatchObject({
    state: 'cancelled',
  })
  await expectSound()
}, 120_000)

test('whoever waits for the last request of a workspace closes nothing once another mover has given that up', async () => {
  const account = await createUsed('home')
  const { workspaceId } = account
  const meter = openMeter()
  await meter.start()
  const running = await meter.accept(account.applicant())
  const waits = Promise.withResolvers<void>()
  const tell = (step: MoveStep) => step === 'close' && waits.resolve()
  const first = move('home', 'other', workspaceId, { tell }).catch((error: unknown) => error)
  await waits.promise
  // The first one has lost the session by which it is alone, and does not know yet.
  expect(await move('home', 'other', workspaceId, { isCancelled: true })).toMatchObject({
    state: 'cancelled',
  })
  await running.settle(finished)
  expect(await first).toBeInstanceOf(Error)
  expect(await home.sql`select from closed_workspaces where workspace_id = ${workspaceId}`).toEqual([])
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  await expectSound()
}, 120_000)

test.each(['publish', 'withdraw', 'close', 'admit'] as const)(
  'whoever is held up before %s does nothing of it once another mover has taken the workspace on',
  async (step) => {
    const account = await createUsed('home')
    const { workspaceId } = account
    const gate = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    let isHeld = false
    const late = (sql: Sql): Sql =>
      new Proxy(sql, {
        // What only names a column is no statement.
        apply: (target, self, words) =>
          isHeld && Array.isArray(words[0])
            ? gate.promise.then(() => Reflect.apply(target, self, words))
            : Reflect.apply(target, self, words),
        get: (target, name) =>
          name === 'begin' && isHeld
            ? (...given: unknown[]) => gate.promise.then(() => Reflect.apply(target.begin, target, given))
            : Reflect.get(target, name),
      })
    const { home: h, source, target } = worldOf('home', 'other')
    const tell = (told: MoveStep) => {
      if (told !== step) return
      isHeld = true
      held.resolve()
    }
    const world = { home: late(h), source: late(source), target: late(target), tell }
    const first = move('home', 'other', workspaceId, world).catch((error: unknown) => error)
    await held.promise
    const isCancelled = step !== 'admit'
    const state = isCancelled ? 'cancelled' : 'done'
    expect(await move('home', 'other', workspaceId, { isCancelled })).toMatchObject({ state })
    const lives = isCancelled ? home.sql : other.sql
    // As another move of it would close it.
    if (!isCancelled) await lives`insert into closed_workspaces (workspace_id) values (${workspaceId})`
    gate.resolve()
    expect(await first).toBeInstanceOf(Error)
    const closed = await lives`select from closed_workspaces where workspace_id = ${workspaceId}`
    expect(closed).toHaveLength(isCancelled ? 0 : 1)
    await lives`delete from closed_workspaces where workspace_id = ${workspaceId}`
    expect(await home.sql`select from pg_replication_slots`).toEqual([])
    expect(await home.sql`select from pg_publication`).toEqual([])
    const meter = openMeter()
    await meter.start()
    await (await meter.accept(account.applicant())).settle(finished)
    await meter.stop()
    await expectSound()
  },
  120_000,
)

test('whoever is held up takes on no pause that is another one than its own', async () => {
  const account = await createUsed('home')
  const { workspaceId } = account
  const gate = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const world = worldOf('home', 'other')
  let isHeld = false
  const late: Sql = new Proxy(world.home, {
    apply: (sql, self, words) =>
      isHeld && Array.isArray(words[0])
        ? gate.promise.then(() => Reflect.apply(sql, self, words))
        : Reflect.apply(sql, self, words),
  })
  const first = move('home', 'other', workspaceId, {
    home: late,
    tell(told) {
      if (told !== 'commit') return
      isHeld = true
      held.resolve()
    },
  }).catch((error: unknown) => error)
  await held.promise
  // Another one finds it paused, has it served again, and pauses it anew with a request that runs.
  const failing = (step: MoveStep) => {
    if (step === 'compare') throw new Error('not the same')
  }
  await expect(move('home', 'other', workspaceId, { tell: failing })).rejects.toThrow('not the same')
  const meter = openMeter()
  await meter.start()
  const running = await meter.accept(account.applicant())
  const waits = Promise.withResolvers<void>()
  const third = move('home', 'other', workspaceId, { tell: (step) => step === 'close' && waits.resolve() })
  await waits.promise
  gate.resolve()
  expect(await first).toBeInstanceOf(Error)
  await running.settle(finished)
  expect(await third).toMatchObject({ state: 'done' })
  await meter.stop()
  await expectSound()
}, 120_000)

test('a workspace is not moved back to where rows of it lie', async () => {
  const { workspaceId } = await createUsed('other')
  expect(await move('other', 'home', workspaceId)).toMatchObject({ state: 'done' })
  await expect(move('home', 'other', workspaceId)).rejects.toThrow(
    `Rows of ${workspaceId} lie in the cell other`,
  )
  expect(await findOpenMove(home.sql, workspaceId)).toBeUndefined()
}, 120_000)

test.each([
  ['its cell has exported', () => home.sql, 'was exported', false],
  ['the other cell has detached', () => other.sql, 'were detached', true],
] as const)(
  'a workspace with rows in a month that %s is not moved',
  async (_, sqlOf, words, isDetached) => {
    const { workspaceId } = await createUsed('home')
    await sqlOf()`
    update book_months set exported_at = clock_timestamp(), manifest_sha256 = repeat('0', 64), ledger_rows = 0,
      generations = 0, corrections = 0, amount_micros = 0,
      detached_at = case when ${isDetached} then clock_timestamp() end
    where clock_timestamp() between begins_at and ends_at`
    try {
      await expect(move('home', 'other', workspaceId)).rejects.toThrow(words)
    } finally {
      await sqlOf()`update book_months set detached_at = null, exported_at = null, manifest_sha256 = null`
    }
  },
  120_000,
)

test('the rights that the operator’s page names are enough', async () => {
  const admin = connect({ url: server.embedded.url, maxConnections: 1 })
  await admin`create role mover login replication password 'moves' in role pg_create_subscription`
  const own = { [HOME]: home, other }
  const opened: Sql[] = []
  const open = async () => {
    const url = new URL(await server.createDatabase())
    await admin`alter database ${admin(url.pathname.slice(1))} owner to mover`
    url.username = 'mover'
    url.password = 'moves'
    const sql = connect({ url: url.href, maxConnections: 6 })
    opened.push(sql)
    await migrate(sql)
    return { url: url.href, sql }
  }
  ;[home, other] = [await open(), await open()]
  try {
    const { workspaceId } = await createUsed('home')
    expect(await move('home', 'other', workspaceId)).toMatchObject({ state: 'done' })
    await expectSound()
  } finally {
    ;({ home, other } = own)
    await Promise.all([admin, ...opened].map((sql) => sql.end({ timeout: 1 })))
  }
}, 120_000)

test('what is counted over both cells is counted once, and fails when a workspace moved meanwhile', async () => {
  const { workspaceId } = await createUsed('home')
  const count = () =>
    countStill(home.sql, async (elsewhere) => {
      let counted = 0
      for (const [name, { sql }] of Object.entries({ home, other })) {
        await readUsage(sql, { elsewhere: elsewhere(name) }, (lines) => {
          for (const line of lines) if (line.workspaceId === workspaceId) counted += Number(line.requests)
        })
      }
      return counted
    })
  expect(await count()).toBe(5)
  await expect(countStill(home.sql, () => move('home', 'other', workspaceId))).rejects.toThrow('Run it again')
  expect(await count()).toBe(5)
  expect((await findElsewhere(home.sql)).get('home')).toContain(workspaceId)
}, 120_000)

test('a move whose log the cell has not kept is refused, until it is given up', async () => {
  const { workspaceId } = await createUsed('home')
  await expect(move('home', 'other', workspaceId, dyingAt('pause', 'home', 'other'))).rejects.toThrow(
    'killed',
  )
  await other.sql`alter subscription ${other.sql(await nameOfSubscription())} disable`
  await vi.waitUntil(() => dropIdle(), { timeout: 60_000 })
  await expect(move('home', 'other', workspaceId)).rejects.toThrow('has not kept its log')
  expect(await move('home', 'other', workspaceId, { isCancelled: true })).toMatchObject({
    state: 'cancelled',
  })
  await expectSound()

  async function nameOfSubscription(): Promise<string> {
    const [row] = await other.sql<{ name: string }[]>`
      select subname as name from pg_subscription
      where subdbid = (select oid from pg_database where datname = current_database())`
    return row!.name
  }

  async function dropIdle(): Promise<boolean> {
    await home.sql`
      select pg_drop_replication_slot(slot_name) from pg_replication_slots
      where database = current_database() and not active`
    return (await home.sql`select from pg_replication_slots where database = current_database()`).length === 0
  }
}, 120_000)
