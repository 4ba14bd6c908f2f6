import { type ApiError, asApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Trace } from '../operations/requests.ts'

/** What the caller is told of anything that was thrown; its code is noted, and what is our own mistake is logged. */
export function refusalFor(thrown: unknown, trace: Trace, log: Pick<Log, 'error'>): ApiError {
  const refusal = asApiError(thrown)
  trace.code = refusal.code
  if (refusal.code === 'internal') {
    const { requestId, generationId, workspaceId, keyId } = trace
    const error = refusal.cause ?? refusal
    log.error('request failed', { requestId, generationId, workspaceId, keyId, error })
  }
  return refusal
}
