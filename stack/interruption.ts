import { Interrupted } from './failure.ts'

/** Aborts at the first signal that asks this process to end; later ones change nothing. */
export function listenForInterruption(): AbortSignal {
  const controller = new AbortController()
  // The handlers stay: npm passes Ctrl-C on a second time, which must not end us before the children.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Interrupted(name)))
  }
  return controller.signal
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
