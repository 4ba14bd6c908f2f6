import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load/crew.ts'
import type { Running } from './subjects/subject.ts'
import { bodyFor, type Script } from './wire/prompts.ts'

/** Enough to have every path of a program run often. */
const CLIENTS = 64
/** Answers of each kind after which an engine has compiled what it will. */
const ANSWERS = 15_000
const STREAM: Script = { chunks: 20, everyMs: 0 }

/** What is still under way of one load is over before the next. */
const REST_MS = 150

/**
 * Loads a program that was just started until it has answered often, half of the time with streams. An engine that compiles while it runs takes
 * several times as much for its first ten thousand requests as for any later one: nobody is measured in those.
 */
export async function heat(load: Load, { target, others = [] }: Running, atMostMs: number): Promise<void> {
  for (const script of [undefined, STREAM]) {
    for (const each of [target, ...others]) {
      const order = { target: each, body: bodyFor(each.model, script), clients: CLIENTS }
      load.start({ ...order, withinMs: 0, isChurn: false })
    }
    const untilMs = performance.now() + atMostMs / 2
    while (performance.now() < untilMs && (await load.report()).requests < ANSWERS) await sleep(REST_MS)
    load.stop()
    await sleep(REST_MS)
  }
}
