const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Finish = () => Promise<unknown>

/** After so long whoever waits is told why (ours). */
const TELL_MS = 1_000
const WHY =
  'Still stopping what was started along with this. Once more ends it at once, and leaves that running.\n'

/** What keeps a signal from ending this program at once. */
export interface Interruption {
  /** Whether one has come. */
  readonly hasCome: boolean
  /** Nothing is left to finish. */
  end(): void
}

const finishes = new Set<Finish>()
let hasCome = false

/**
 * Has a signal that ends this program call `finish` first, and all that were given here: what it has started would run on without
 * it. The next one ends it at once.
 */
export function finishOnSignals(finish: Finish): Interruption {
  if (finishes.size === 0) for (const signal of SIGNALS) process.on(signal, interrupt)
  finishes.add(finish)
  return {
    get hasCome() {
      return hasCome
    },
    end: () => {
      if (finishes.delete(finish) && finishes.size === 0) leaveToSystem()
    },
  }
}

function interrupt(signal: NodeJS.Signals): void {
  hasCome = true
  leaveToSystem()
  // What is taken away from the rest of the program meanwhile is no error of its own.
  process.on('uncaughtException', () => {})
  const telling = setTimeout(() => process.stderr.write(WHY), TELL_MS)
  // Whoever has called this program is told that a signal has ended it.
  const endNow = (): void => {
    clearTimeout(telling)
    process.kill(process.pid, signal)
  }
  void Promise.allSettled([...finishes].map((finish) => finish())).then(endNow)
}

function leaveToSystem(): void {
  for (const signal of SIGNALS) process.off(signal, interrupt)
}
