import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { HardwareCondition } from '#attestation'
import type { Edit } from '#base/testing/read-edited.ts'
import type { SimulatedTee } from '#contract/models'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { control, startPlatform, temporaryFolder } from '../proxy/testing/programs.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { listEvents, type StoredEvent } from '../server/upstreams/events.ts'
import { playedAsReal, reading } from './edited.ts'
import { guests, strangers } from './played-guests.ts'
import { startRouterProcess } from './router-process.ts'
import { chat, createAccount } from './service.ts'

// Programs as they are installed, on TLS of their own. The router alone reads otherwise who a vendor of hardware is:
// of real hardware nobody here has the key of a root.

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))
const run = promisify(execFile)
const UPSTREAM = 'vendor'
const MODEL = 'vendor/large'
const ROUTER = `
listen: { host: 127.0.0.1, port: 0 }
admin: { port: 0 }
database: { url: "\${DATABASE_URL}" }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, leastJudged: 8192 }
timers: { drainMs: 500 }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: ${MODEL}
    contextLength: 32768
    pricing: { promptPer1mMicros: 150000, completionPer1mMicros: 600000 }
    endpoint: ${UPSTREAM}
    upstream: { model: tiny-chat }
`

let server: TestServer
let backend: Backend

beforeAll(async () => {
  server = await startTestServer()
  backend = await createBackend({ paceMs: 1 })
})

afterAll(async () => {
  await backend.close()
  await server.stop()
})

/** What is played, and what reads otherwise. */
interface Play {
  readonly simulateTee: SimulatedTee
  readonly ofRouter?: readonly Edit[]
  readonly ofPlatform?: readonly Edit[]
}

/** A platform that plays hardware, and a router to whom its vendor is a real one. */
async function startWorld({ simulateTee, ofRouter = [], ofPlatform = [] }: Play) {
  const platform = await startPlatform(
    new URL(backend.url).origin,
    { simulateTee, resignIntervalMs: 1_000 },
    reading(ofPlatform),
  )
  const { ready } = platform
  const { url: databaseUrl, sql } = await server.open()
  const folder = temporaryFolder()
  const router = await startRouterProcess(databaseUrl, '', {
    folder,
    config: ROUTER,
    env: reading([playedAsReal(ready.root_pem_file), ...ofRouter]),
  })
  onTestFinished(async () => void (await router.stop()))
  const { apiKey } = await createAccount(sql, 50_000_000n)
  /** Newest last. */
  const events = async () => (await listEvents(sql, { upstream: UPSTREAM, limit: 100 })).reverse()
  return {
    platform,
    events,
    async demand(...measurements: readonly HardwareCondition[]): Promise<void> {
      const file = join(folder, 'guests.yaml')
      writeFileSync(file, JSON.stringify({ measurements }))
      const where = ['--url', `https://127.0.0.1:${new URL(ready.url).port}/v1`, '--hostname', HOSTNAME]
      const whom = ['--root', ready.root_pem_file, '--pin', ready.evidence_digest, '--attested', file]
      const args = ['upstream', 'add', UPSTREAM, ...where, ...whom, '--replace']
      const env = { ...process.env, DATABASE_URL: databaseUrl }
      await run(LAUNCHER, [...args, '--config', join(folder, 'router.yaml')], { env })
    },
    /** Waits until the newest event is of this kind. */
    until: (event: StoredEvent['event']): Promise<StoredEvent> =>
      vi.waitFor(
        async () => {
          const newest = (await events()).at(-1)
          if (newest?.event !== event) throw new Error(`not yet: ${newest?.event} ${newest?.reason}`)
          return newest
        },
        { timeout: 120_000, interval: 100 },
      ),
    ask: () => chat(router, apiKey, { model: MODEL }),
  }
}

test.each(['snp', 'tdx'] as const)(
  'a router serves an upstream whose root hardware holds, as it is demanded, and refuses it for another guest: %s',
  async (simulateTee) => {
    const world = await startWorld({ simulateTee })
    await world.demand(strangers[simulateTee], guests[simulateTee])
    expect(await world.until('admitted')).toMatchObject({
      hardware: { product: simulateTee === 'snp' ? 'Genoa' : 'TDX' },
    })
    expect((await world.ask()).status).toBe(200)
    const served = backend.requests().length
    await world.demand(strangers[simulateTee])
    expect(await world.until('denied')).toMatchObject({
      stage: 'untrusted-root',
      reason: 'measurement_not_listed',
      hardware: null,
    })
    const refused = await world.ask()
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain('attestation_failed')
    expect(backend.requests()).toHaveLength(served)
  },
)

test.each(['snp', 'tdx'] as const)(
  'a router refuses an upstream whose quote is genuine, and about another key: %s',
  async (simulateTee) => {
    const key = "publicKey.export({ type: 'spki', format: 'der' })"
    const another = { file: 'platform/simulation/simulation.ts', find: key, put: "'another key'" }
    const world = await startWorld({ simulateTee, ofPlatform: [another] })
    const served = backend.requests().length
    await world.demand(guests[simulateTee])
    expect(await world.until('denied')).toMatchObject({
      stage: 'untrusted-root',
      reason: 'root_key_not_bound',
      hardware: null,
    })
    expect((await world.ask()).status).toBe(503)
    expect(backend.requests()).toHaveLength(served)
  },
)

test('collateral that has run out lapses with the verdict’s life and heals by itself: nobody has to act', async () => {
  const mark = join(temporaryFolder(), 'has-run-out')
  const world = await startWorld({
    simulateTee: 'tdx',
    // Minutes as seconds.
    ofRouter: [
      ['upstreamVerdictMs: 600_000', 'upstreamVerdictMs: 30_000'],
      ['reattestMs: 240_000', 'reattestMs: 1_000'],
      ['maxAttestRetryMs: 30_000', 'maxAttestRetryMs: 1_000'],
    ].map(([find = '', put = '']) => ({ file: 'generated/limits.ts', find, put })),
    ofPlatform: [
      {
        file: 'platform/simulation/intel.ts',
        find: 'since.getTime() + STATED_MS',
        put: `since.getTime() + (process.getBuiltinModule('fs').existsSync(${JSON.stringify(mark)}) ? -1 : STATED_MS)`,
      },
    ],
  })
  await world.demand(guests.tdx)
  await world.until('admitted')
  writeFileSync(mark, '')
  await control(world.platform, '/resign')
  expect((await world.ask()).status).toBe(200)
  expect(await world.until('denied')).toMatchObject({ reason: 'collateral_expired' })
  expect((await world.ask()).status).toBe(503)
  rmSync(mark)
  await control(world.platform, '/resign')
  await world.until('admitted')
  expect((await world.ask()).status).toBe(200)
  const told = (await world.events()).map(({ event, reason }) => `${event} ${reason}`)
  expect(told).toEqual([
    'registered null',
    'admitted null',
    // Its life alone has ended it.
    'pending verdict_expired',
    'denied collateral_expired',
    'admitted null',
  ])
}, 300_000)
