import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './children.ts'
import { StartFailure } from './failure.ts'
import type { ProcessId } from './processes.ts'

/** A part of the stack that runs as a child. */
export interface Part {
  readonly name: 'router' | 'proxy' | 'platform' | 'backend'
  /** For people, within a sentence. */
  readonly title: string
  /** Running answers pass through it. */
  readonly carriesAnswers?: true
  start(): Promise<Child>
  /** Resolves with what it says once it serves; rejects when it cannot. */
  untilReady(child: Child): Promise<unknown>
}

/** What the supervisor tells. */
export interface SupervisorEvents {
  /** It died and is being started again. */
  onDeath(part: Part, cause: string): void
  /** It serves again. */
  onReturn(part: Part): void
  /** It keeps dying: the stack cannot go on. */
  onGiveUp(failure: StartFailure): void
  /** Another process stands for it now, ready or not. */
  onChild(part: Part, id: ProcessId): void
}

/** A part that is started again when it dies. */
export interface Supervised {
  /** What it said when it first served. */
  readonly document: unknown
  /** Asks it to end; a second call only waits. */
  stop(): Promise<void>
}

// Ours: a child that dies before it serves, or at once, so many times in a row, will not get better.
const MAX_QUICK_DEATHS = 5
const QUICK_MS = 1_000
// The pauses between them double from the first; all stay well below the 5 s that a restart may take.
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/** Starts a part, resolves when it serves, and keeps it running until it is stopped. */
export async function supervise(part: Part, events: SupervisorEvents): Promise<Supervised> {
  let stopping = false
  let stopped: Promise<void> | undefined
  const { first, document } = await startOnce()
  let child = first
  let readyAt: number | undefined = performance.now()
  const watch = keepRunning().catch((error: unknown) => events.onGiveUp(hopeless(String(error))))

  return {
    document,
    stop: () => (stopped ??= stop()),
  }

  async function stop(): Promise<void> {
    stopping = true
    await child.stop()
    await watch
  }

  async function startOnce(): Promise<{ readonly first: Child; readonly document: unknown }> {
    const first = await part.start()
    events.onChild(part, first.id)
    try {
      return { first, document: await part.untilReady(first) }
    } catch (error) {
      await first.stop()
      throw error
    }
  }

  async function keepRunning(): Promise<void> {
    for (let quickDeaths = 0; ; ) {
      const cause = await child.exited
      if (stopping) return
      quickDeaths = isQuick(cause) ? quickDeaths + 1 : 0
      if (quickDeaths >= MAX_QUICK_DEATHS) return events.onGiveUp(hopeless(cause))
      events.onDeath(part, cause)
      if (quickDeaths > 0) await sleep(Math.min(FIRST_PAUSE_MS * 2 ** quickDeaths, LONGEST_PAUSE_MS))
      if (!stopping) await startAgain()
    }
  }

  // SIGKILL comes from outside: a child that had served is not to blame for it.
  function isQuick(cause: string): boolean {
    if (readyAt === undefined) return true
    return cause !== 'SIGKILL' && performance.now() - readyAt < QUICK_MS
  }

  async function startAgain(): Promise<void> {
    readyAt = undefined
    child = await part.start()
    if (stopping) return void (await child.stop())
    events.onChild(part, child.id)
    try {
      await part.untilReady(child)
      readyAt = performance.now()
      if (!stopping) events.onReturn(part)
    } catch {
      // It died or does not serve: the next round counts it.
      await child.stop()
    }
  }

  function hopeless(cause: string): StartFailure {
    const message = `${part.title} keeps dying (${cause}); it is not started again.`
    return new StartFailure(message, [`Its log says why: ${child.logFile}`])
  }
}
