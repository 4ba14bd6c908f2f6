import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#base/thrown.ts'
import type { World } from '../world/world.ts'
import { acts } from './act.ts'
import { describeFault, type Fault, type Happened } from './fault.ts'

/** A paused database hangs whoever asks it: a fault that needs it is given up then. */
const PATIENCE_MS = 45_000

/** Plants the faults one after the other, mends each in its time, and resolves when all are mended. */
export async function breakAndMend(
  world: World,
  faults: readonly Fault[],
  say: (line: string) => void,
): Promise<Happened[]> {
  const happened: Happened[] = []
  const mending: Promise<void>[] = []
  for (const fault of faults) {
    await sleep(fault.afterMs)
    const atMs = performance.now()
    const planting = plant(world, fault)
    try {
      const mend = await inTime(planting)
      mending.push(sleep(fault.lastsMs).then(() => persistently(mend)))
      happened.push({ fault, atMs, missed: undefined })
      say(`    ${describeFault(fault)}`)
    } catch (error) {
      say(`    ${describeFault(fault)}: not now (${messageOf(error)})`)
      // What is planted late nevertheless is mended at once.
      const late = planting.then(persistently).then(
        () => happened.push({ fault, atMs, missed: undefined }),
        () => happened.push({ fault, atMs, missed: messageOf(error) }),
      )
      mending.push(late.then(() => undefined))
    }
  }
  await Promise.all(mending)
  return happened
}

async function plant(world: World, fault: Fault): Promise<() => Promise<void> | void> {
  return await acts[fault.kind](world, fault)
}

const ATTEMPTS = 60
const RETRY_MS = 1_000

/** What mends may need what is still broken. */
async function persistently(mend: () => Promise<void> | void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await inTime(Promise.resolve(mend()))
      return
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await sleep(RETRY_MS)
    }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`It took more than ${PATIENCE_MS} ms.`)
  })
  late.catch(() => undefined)
  return await Promise.race([work, late])
}
