import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytesOf } from '../cpu/usage.ts'
import type { Load } from '../load/crew.ts'
import { DATABASE, type Role } from '../subjects/subject.ts'
import { bodyFor } from '../wire/prompts.ts'
import type { Measure } from './measure.ts'
import type { Figures } from './turn.ts'

/** Streams that are open at a time, each with a chunk a second. */
const STREAMS = [1_000, 5_000] as const
const SCRIPT = { chunks: 600, everyMs: 1_000 }

const WARM_CLIENTS = 64
/** What is left of a load goes, and what came with the streams shows. */
const REST_MS = 2_000
const OPEN_MS = 90_000
const POLL_MS = 200
const KB = 1_000

/** What an open stream takes of memory: of a process that was just started and has answered a while. */
export const memory: Measure = {
  id: 'memory',
  title: `memory of ${STREAMS.map((count) => count.toLocaleString('en-GB')).join(' and ')} open streams`,
  isQuick: false,
  fits: ({ running }) => running.roles.length > 0,
  async take({ prepared }, { load, warmMs }) {
    const running = await prepared.start()
    const { target } = running
    const roles = running.roles.filter(({ name }) => name !== DATABASE)
    try {
      const common = { target, isChurn: false }
      load.start({ ...common, body: bodyFor(target.model, undefined), clients: WARM_CLIENTS, withinMs: 0 })
      await sleep(warmMs)
      load.stop()
      await sleep(REST_MS)
      const before = bytesOf(roles)
      const figures: Record<string, number> = {}
      let open = 0
      for (const count of STREAMS) {
        const body = bodyFor(target.model, SCRIPT)
        load.start({ ...common, body, clients: count - open, withinMs: SCRIPT.everyMs })
        await opened(load, count)
        await sleep(REST_MS)
        open = count
        Object.assign(figures, figuresFor(count, roles, before))
      }
      return figures
    } finally {
      load.stop()
      await running.stop()
    }
  },
}

/** `kb1000` of all processes but the database's, `kb1000.ROLE` of each. */
function figuresFor(count: number, roles: readonly Role[], before: readonly number[]): Figures {
  const each = bytesOf(roles).map((bytes, at) => (bytes - before[at]!) / KB / count)
  return {
    [`kb${count}`]: each.reduce((sum, kb) => sum + kb, 0),
    ...Object.fromEntries(roles.map(({ name }, at) => [`kb${count}.${name}`, each[at]!])),
  }
}

function bytesOf(roles: readonly Role[]): number[] {
  return roles.map(({ pid }) => residentBytesOf(pid))
}

async function opened(load: Load, count: number): Promise<void> {
  const untilMs = performance.now() + OPEN_MS
  for (;;) {
    const { open, complaint } = await load.report()
    if (open >= count) return
    if (performance.now() > untilMs)
      throw new Error(
        `${open} of ${count} streams were open after ${OPEN_MS / 1_000} s${complaint ? `: ${complaint}` : ''}`,
      )
    await sleep(POLL_MS)
  }
}
