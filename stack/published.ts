import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from './failure.ts'

// Ours: the router reads the evidence as soon as it is up.
const PATIENCE_MS = 10_000
// The evidence path has a budget for each address, which this must not use up.
const POLL_MS = 250

/** Resolves once the router relays the evidence of this deployment, and the proxy lets it through. */
export async function untilPublished(
  proxyBaseUrl: string,
  digest: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const problem = await problemWith(proxyBaseUrl, digest).catch((error: unknown) => String(error))
    signal.throwIfAborted()
    if (problem === undefined) return
    if (performance.now() > deadline)
      throw new StartFailure('The router does not relay its evidence through the proxy.', [problem])
    await sleep(POLL_MS, undefined, { signal })
  }
}

async function problemWith(proxyBaseUrl: string, digest: string): Promise<string | undefined> {
  const response = await fetch(`${proxyBaseUrl}/evidence`, { signal: AbortSignal.timeout(PATIENCE_MS) })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) return `It answers ${response.status}: ${new TextDecoder().decode(bytes)}`
  // Imported when it is needed: it takes a moment, and others are waiting then anyway.
  const { inspectBundle } = await import('../attestation/inspect.ts')
  const { evidenceDigest } = inspectBundle(bytes).payload
  return evidenceDigest === digest ? undefined : `It relays another deployment: ${evidenceDigest}`
}
