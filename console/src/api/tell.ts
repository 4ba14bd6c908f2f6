import type { PageEvent } from '#contract/console/models'

/** Tells the router what happened in the page: a name of the contract's list, no content, and no answer is waited for. */
export function tell(name: PageEvent['name'], page: PageEvent['page']): void {
  const body = JSON.stringify({ events: [{ name, page }] })
  const headers = { 'Content-Type': 'application/json' }
  void fetch('/console/api/analytics', { method: 'POST', headers, body, keepalive: true }).catch(
    () => undefined,
  )
}
