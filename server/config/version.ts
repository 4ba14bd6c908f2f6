import { createHmac } from 'node:crypto'
import type { RouterConfig } from './router.ts'

/** Enough to tell versions apart, and to be read aloud (ours). */
const VERSION_CHARACTERS = 12

/**
 * The version of a configuration: a short hash of all that the routers of a deployment have in common, defaults filled
 * in, so that a comment or another order of settings makes no other version. Where a router listens, keeps its data and
 * finds its stores is each one's own. Keys of backends count, and are not to be guessed from it: it is made under
 * `secretsKey`.
 */
export function versionOf(config: RouterConfig): string {
  const { allowOverdraftMicros, limits, timers, corsOrigins, docsUrl, trustedProxies, endpoints, models } =
    config
  // Its outbox is each one's own, and a mail server's password is nobody's version.
  const console = config.console && {
    publicUrl: config.console.publicUrl,
    administrators: config.console.administrators,
  }
  const shared = {
    allowOverdraftMicros,
    limits,
    timers,
    corsOrigins,
    docsUrl,
    trustedProxies,
    endpoints,
    models,
    console,
  }
  const text = JSON.stringify(shared, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return createHmac('sha256', config.secretsKey ?? '')
    .update(`configuration\n${text}`)
    .digest('hex')
    .slice(0, VERSION_CHARACTERS)
}
