import { randomBytes } from 'node:crypto'
import { freePort } from '../../conformance/testing/ports.ts'
import { type Account, createAccount } from '../../tests/service.ts'
import { grants, type PayerName } from '../payer.ts'
import { type Backend, startBackend } from './backend.ts'
import { type Database, startDatabase } from './database.ts'
import { type Platform, startPlatform, startProxy, type UserProxy, untilAdmitted } from './edge.ts'
import { type Folder, makeFolder } from './folder.ts'
import { type Redis, startRedisSeat } from './redis.ts'
import { startReplicated } from './replicated.ts'
import { type Router, startRouter } from './router.ts'
import type { Seat } from './seat.ts'
import { createUndo } from './undo.ts'

/** Whose requests are sent, and what it has been given. */
export interface Payer extends Account {
  readonly name: PayerName
  readonly grantedMicros: bigint
}

/** The whole stack: a proxy and a platform before the first of several routers, and all that these stand on. */
export interface World {
  readonly folder: Folder
  readonly database: Database
  /** Undefined where this machine has none: then each router counts on its own. */
  readonly redis: Redis | undefined
  readonly backend: Backend
  readonly platform: Platform
  readonly routers: readonly Router[]
  readonly proxy: UserProxy
  readonly payers: readonly Payer[]
  /** What must stand in no file: a word of each prompt and one of each answer, and the keys' secret parts. */
  readonly secrets: readonly string[]
  /** A word of each prompt. */
  readonly word: string
  seat(name: string): Seat
  /** Everything runs and is reached again. */
  mend(): Promise<void>
  stop(): Promise<void>
}

/** What is shown of a key; the rest is secret. */
const PREFIX_LENGTH = 12

/** What differs between runs. */
export interface WorldOptions {
  readonly routers: number
  /** Whether the database is a pair. */
  readonly isReplicated: boolean
}

/** Starts all of it, on free ports of loopback. */
export async function startWorld({ routers: routerCount, isReplicated }: WorldOptions): Promise<World> {
  const undo = createUndo()
  try {
    const folder = undo.keep(await makeFolder(), (part) => part.remove())
    const startThis = isReplicated ? startReplicated : startDatabase
    const database = undo.keep(await startThis(folder), (part) => part.stop())
    const redis = await startRedisSeat()
    if (redis) undo.keep(redis, (part) => part.stop())
    const [word, answer] = [`PROMPT${nonce()}`, `ANSWER${nonce()}`]
    const backend = undo.keep(await startBackend(answer), (part) => part.stop())
    const ports = [await freePort(), await freePort(), await freePort()]
    const upstream = `http://127.0.0.1:${ports[0]}`
    const platform = await startPlatform(folder.path, await freePort(), upstream)
    undo.keep(platform, ({ seat }) => seat.stop())
    const [platformRoot] = (await platform.control('/state')).rootPemFiles
    const routers: Router[] = []
    for (const [index, port] of ports.slice(0, routerCount).entries()) {
      const adminPort = await freePort()
      const router = await startRouter(folder.path, `router-${index}`, database.url, {
        port,
        adminPort,
        backendUrl: backend.url,
        platformPort: platform.port,
        platformRoot: platformRoot!,
        redisUrl: redis?.url ?? '',
      })
      routers.push(undo.keep(router, ({ seat }) => seat.stop()))
    }
    const proxy = undo.keep(await startProxy(folder.path, platform), ({ seat }) => seat.stop())
    const payers = await Promise.all(
      (Object.keys(grants) as PayerName[]).map(async (name) => {
        const account = await createAccount(database.sql, grants[name])
        return { ...account, name, grantedMicros: grants[name] }
      }),
    )
    const seats: Seat[] = [database, backend, platform.seat, proxy.seat, ...routers.map(({ seat }) => seat)]
    if (redis) seats.push(redis)
    return {
      folder,
      database,
      redis,
      backend,
      platform,
      routers,
      proxy,
      payers,
      word,
      secrets: [word, answer, ...payers.map(({ apiKey }) => apiKey.slice(PREFIX_LENGTH))],
      seat(name) {
        const found = seats.find((seat) => seat.name === name)
        if (!found) throw new Error(`No part of the stack is called ${name}.`)
        return found
      },
      async mend() {
        for (const seat of seats) {
          seat.resume()
          await seat.ensureRunning()
        }
        await untilAdmitted(proxy)
      },
      stop: () => undo.all(),
    }
  } catch (error) {
    await undo.all().catch(() => undefined)
    throw error
  }
}

function nonce(): string {
  return randomBytes(8).toString('hex')
}
