import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Json } from '#attestation'
import { limits } from '#contract/limits'
import type { Change } from '#egress/deployment/changes.ts'

/** Two snapshots. */
export interface Comparison {
  readonly before: Json
  readonly after: Json
}

/** Two snapshots have so little in common that what differs could not be found in time. */
export class TooDifferent extends Error {
  override readonly name = 'TooDifferent'
}

/** What a comparison may take of a thread's heap (ours). */
const HEAP_MB = 512

/**
 * Every step from one snapshot to another. Of large ones that have little in common it takes seconds, so it is found in
 * a thread of its own: the event loop serves everybody. Throws `TooDifferent`.
 */
export async function compare(
  comparison: Comparison,
  limitMs: number = limits.bundleFetchMs,
): Promise<Change[]> {
  const thread = new Worker(new URL('./comparison-thread.ts', import.meta.url), {
    workerData: comparison,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  const late = AbortSignal.timeout(limitMs)
  try {
    const [changes] = await once(thread, 'message', { signal: late })
    return changes as Change[]
  } catch (cause) {
    throw late.aborted ? new TooDifferent('They are too different to be compared.', { cause }) : cause
  } finally {
    await thread.terminate()
  }
}
