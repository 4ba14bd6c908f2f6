import { ApiError } from '../errors.ts'

/** Bounds the memory that all request bodies together take, first come, first served (decisions, 5). */
export interface BodyMemory {
  /** Whether more than half is taken: then nobody gets any without a key that was looked up. */
  readonly isScarce: boolean
  /** For one body. */
  open(): BodyLease
}

/** The memory of one body. */
export interface BodyLease {
  /** Takes more, or waits for it; throws 500 `internal` when none is given back in time. */
  take(bytes: number, waitMs: number): Promise<void>
  /** Gives all of it back; again is harmless. */
  release(): void
}

interface Waiter {
  readonly bytes: number
  readonly start: () => void
}

/** Creates the bound that all readers share. */
export function createBodyMemory(capacityBytes: number): BodyMemory {
  const waiting = new Set<Waiter>()
  let free = capacityBytes

  async function take(bytes: number, waitMs: number): Promise<void> {
    if (waiting.size === 0 && bytes <= free) {
      free -= bytes
      return
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const waiter = { bytes, start }
      const timer = setTimeout(() => {
        waiting.delete(waiter)
        reject(exhausted())
      }, waitMs)
      waiting.add(waiter)
    })
  }

  function give(bytes: number): void {
    free += bytes
    for (const waiter of waiting) {
      if (waiter.bytes > free) return
      free -= waiter.bytes
      waiting.delete(waiter)
      waiter.start()
    }
  }

  return {
    get isScarce() {
      return free < capacityBytes / 2
    },
    open() {
      let taken = 0
      return {
        async take(bytes, waitMs) {
          await take(bytes, waitMs)
          taken += bytes
        },
        release() {
          give(taken)
          taken = 0
        },
      }
    },
  }
}

function exhausted(): ApiError {
  return new ApiError('internal', 'The router has no memory left for this body. Try again shortly.', {
    headers: { 'Retry-After': '1' },
  })
}
