import { randomFillSync } from 'node:crypto'

/** Bytes that are asked of the system at a time (ours): one alone takes as long as all of these. */
const POOL_BYTES = 4_096
const VALUES = 256

/** Gives numbers from 0 to below 1 in steps of 1/256, each from a byte of the system's own generator. */
export function createChance(fill: (pool: Uint8Array) => void = randomFillSync): () => number {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return () => {
    if (used === POOL_BYTES) {
      fill(pool)
      used = 0
    }
    return pool[used++]! / VALUES
  }
}
