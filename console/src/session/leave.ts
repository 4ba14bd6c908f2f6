const SIGN_IN = '/console/sign-in'
const CHANNEL = 'console-session'

/**
 * Leaves for the sign-in page with a new document: nothing of what was shown stays in memory, and the way back leads to
 * a page that asks the router again.
 */
function leave(address = SIGN_IN): void {
  if (location.pathname === SIGN_IN) return
  document.getElementById('page')?.replaceChildren()
  location.replace(address)
}

/** Leaves because the session has ended; whoever signs in again comes back to this page. */
export function leaveForNow(): void {
  const here = (location.pathname + location.search).replace(/^\/console/, '')
  leave(here === '/' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to: here })}`)
}

/** Leaves, and has the other tabs of this browser leave. */
export function leaveEverywhere(): void {
  new BroadcastChannel(CHANNEL).postMessage('ended')
  leave()
}

/** Leaves as soon as another tab has; and never shows again what the browser kept of a page that was left. */
export function leaveWithOtherTabs(): void {
  new BroadcastChannel(CHANNEL).addEventListener('message', () => leave())
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload()
  })
}
