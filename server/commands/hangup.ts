import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

/** What SIGHUP leads to: a reload, or a stop when the terminal has gone. */
export interface Hangups {
  /** Has each SIGHUP call `reload` from now on; one that came earlier calls it at once. */
  handTo(reload: () => void): void
  /** Resolves with the reason to stop once the terminal has gone that the router was started from. */
  readonly gone: Promise<string>
}

const STDERR = 2

/**
 * Follows SIGHUP from now on. It asks for a reload; but it is also what a terminal sends that is closed, and a router
 * that was tried out there is not to run on where nobody sees it.
 */
export function followHangups(): Hangups {
  const gone = Promise.withResolvers<string>()
  const isAttended = isatty(STDERR)
  let isWaiting = false
  let act = (): void => {
    isWaiting = true
  }
  process.on('SIGHUP', () => {
    if (isAttended && !hasTerminal()) gone.resolve('its terminal has gone')
    else act()
  })
  return {
    handTo(reload) {
      act = reload
      if (isWaiting) reload()
    },
    gone: gone.promise,
  }
}

/** Whether this process still has a terminal. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
