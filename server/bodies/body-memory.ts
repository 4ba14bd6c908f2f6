import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import type { Collector } from '../operations/collect.ts'
import { createByteRate } from './byte-rate.ts'

/** Small bodies have memory of their own, which no large one touches. */
export const pools = ['small', 'large'] as const

export type Pool = (typeof pools)[number]

/** Why a body got no memory: its own sender has its share already, or there is none left. */
export const shortages = ['workspace', 'address', 'all'] as const

export type Shortage = (typeof shortages)[number]

/** Whose body it is, as far as that is known. */
export interface BodyOwner {
  readonly pool: Pool
  /** As budgets by source address have it. */
  readonly address: string
  /** Known when the key has been looked up. */
  readonly workspaceId?: string | undefined
}

/**
 * Bounds the memory that request bodies take: of all together, of those of one workspace and of one source address.
 * A quarter for a workspace and half for an address leave room for others, however many sockets one has (REQ-53).
 */
export interface BodyMemory {
  /** Whether an address has so much of the memory for small bodies that the key is looked up before more is read. */
  isCrowded(address: string): boolean
  /** Opens the account of one body; nothing is taken yet. */
  open(owner: BodyOwner): BodyLease
  /** For the operator. */
  readonly usage: BodyMemoryUsage
}

/** What an operator sees. */
export interface BodyMemoryUsage {
  readonly usedBytes: Readonly<Record<Pool, number>>
  readonly capacityBytes: Readonly<Record<Pool, number>>
  /** Bodies that wait for memory. */
  readonly waiting: number
  /** Bodies that got none in time. */
  readonly refused: Readonly<Record<Shortage, number>>
}

/** The memory of one body. */
export interface BodyLease {
  /** Takes more where there is room now and no turn to wait for; false: nothing is taken, see `take`. */
  takeAtOnce(bytes: number): boolean
  /**
   * Takes more, or waits for it, and tells whether it did; throws 503 `overloaded` when none is given back in time.
   * A large body also waits its turn, see `ByteRate`.
   */
  take(bytes: number, waitMs: number): Promise<boolean>
  /** Gives all of it back; calling it again does nothing. */
  release(): void
}

interface Waiter {
  readonly shares: readonly Share[]
  readonly bytes: number
  readonly start: () => void
}

/** One bound that a body is under. */
interface Share {
  readonly name: Shortage
  readonly key: string
  readonly mostBytes: number
}

/** Accounts before those without a body are forgotten, all at once (ours): one by one would make new tables all the time (see `Roster`). */
const LEAST_ACCOUNTS = 1_024

/** Small bodies have this part of all memory (ours). */
const SMALL_PART = 1 / 8

const WORKSPACE_PART = 1 / 4
const ADDRESS_PART = 1 / 2

/** Creates the bound that all readers share; one body may have `maxBodyBytes`. */
export function createBodyMemory(
  capacityBytes: number,
  maxBodyBytes: number,
  collector?: Collector,
): BodyMemory {
  const small = Math.floor(capacityBytes * SMALL_PART)
  const capacity = { small, large: capacityBytes - small }
  const rate = createByteRate(limits.bodyBurstBytes)
  const largest = { small: limits.keyFirstBodyBytes, large: maxBodyBytes }
  const used = new Map<string, number>()
  let mostAccounts = LEAST_ACCOUNTS
  const waiting = new Set<Waiter>()
  const refused = { workspace: 0, address: 0, all: 0 }

  // A share has room for one body of each size, or nobody could ever send the largest.
  const partOf = (pool: Pool, part: number): number =>
    Math.min(capacity[pool], Math.max(largest[pool], Math.floor(capacity[pool] * part)))
  const usedBy = (key: string): number => used.get(key) ?? 0
  const shortageOf = (shares: readonly Share[], bytes: number): Shortage | undefined =>
    shares.find(({ key, mostBytes }) => usedBy(key) + bytes > mostBytes)?.name

  function sharesOf({ pool, address, workspaceId }: BodyOwner): readonly Share[] {
    const all = { name: 'all', key: pool, mostBytes: capacity[pool] } as const
    const ofWorkspace = workspaceId === undefined ? [] : [share('workspace', workspaceId, WORKSPACE_PART)]
    // Many customers may come from one address; those of a small body that are known are not held to account for it.
    const ofAddress =
      pool === 'small' && workspaceId !== undefined ? [] : [share('address', address, ADDRESS_PART)]
    return [...ofWorkspace, ...ofAddress, all]

    function share(name: Shortage, owner: string, part: number): Share {
      return { name, key: `${pool} ${name} ${owner}`, mostBytes: partOf(pool, part) }
    }
  }

  function move(shares: readonly Share[], bytes: number): void {
    for (const { key } of shares) {
      const now = usedBy(key) + bytes
      used.set(key, now)
    }
    if (used.size > mostAccounts) forgetIdle()
  }

  /** Not again before as many new ones have come as are left. */
  function forgetIdle(): void {
    for (const [key, bytes] of used) if (bytes === 0) used.delete(key)
    mostAccounts = Math.max(LEAST_ACCOUNTS, 2 * used.size)
  }

  /** Lets the waiting bodies take memory, oldest first; one that waits for its own share is passed over. */
  function startWaiting(): void {
    for (const waiter of waiting) {
      if (shortageOf(waiter.shares, waiter.bytes) !== undefined) continue
      waiting.delete(waiter)
      move(waiter.shares, waiter.bytes)
      waiter.start()
    }
  }

  /** Whether there is room, which is taken then. */
  function fits(shares: readonly Share[], bytes: number): boolean {
    if (shortageOf(shares, bytes) !== undefined) return false
    move(shares, bytes)
    return true
  }

  /** Resolves once there is room, which is taken then. */
  function awaitRoom(shares: readonly Share[], bytes: number, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { shares, bytes, start }
      const timer = setTimeout(giveUp, waitMs)
      waiting.add(waiter)

      function start(): void {
        clearTimeout(timer)
        resolve()
      }
      function giveUp(): void {
        waiting.delete(waiter)
        const shortage = shortageOf(shares, bytes) ?? 'all'
        refused[shortage]++
        reject(overloaded(shortage))
      }
    })
  }

  return {
    isCrowded: (address) =>
      usedBy('small') > capacity.small / 2 ||
      usedBy(`small address ${address}`) > partOf('small', ADDRESS_PART) / 2,
    open(owner) {
      const shares = sharesOf(owner)
      const hasTurns = owner.pool === 'large' && owner.workspaceId !== undefined
      let taken = 0
      return {
        takeAtOnce(bytes) {
          if (hasTurns || !fits(shares, bytes)) return false
          taken += bytes
          return true
        },
        async take(bytes, waitMs) {
          const hasWaited = !fits(shares, bytes)
          if (hasWaited) await awaitRoom(shares, bytes, waitMs)
          taken += bytes
          if (!hasTurns) return hasWaited
          const turnMs = rate.take(owner.workspaceId, bytes)
          if (turnMs > 0) await sleep(turnMs)
          return hasWaited || turnMs > 0
        },
        release() {
          if (taken === 0) return
          move(shares, -taken)
          collector?.released(taken)
          taken = 0
          startWaiting()
        },
      }
    },
    get usage() {
      const usedBytes = { small: usedBy('small'), large: usedBy('large') }
      return { usedBytes, capacityBytes: capacity, waiting: waiting.size, refused }
    },
  }
}

const reasons: Readonly<Record<Shortage, string>> = {
  workspace: 'Other bodies of this workspace take all the memory that one workspace may have.',
  address: 'Other bodies from this address take all the memory that one address may have.',
  all: 'The router has no memory left for this body.',
}

function overloaded(shortage: Shortage): ApiError {
  return new ApiError('overloaded', `${reasons[shortage]} Try again shortly.`, {
    headers: { 'Retry-After': '1', 'x-should-retry': 'true' },
  })
}
