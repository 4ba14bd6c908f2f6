import type { buildConnector } from 'undici'
import { AttestationError, type Digest } from '#attestation'
import { limits } from '#contract'
import { type DialOptions, dial, discard } from './dial.ts'
import type { Target } from './target.ts'

/**
 * Gives undici sockets whose certificate is the expected one, and no others: what it never gets, it cannot write a
 * request to (decisions, 8).
 */
export function createConnector(
  target: Target,
  expected: Digest,
  connect?: DialOptions['connect'],
): buildConnector.connector {
  return (_, callback) => {
    const signal = AbortSignal.timeout(limits.connectTimeoutMs)
    dial(target, { signal, ...(connect && { connect }) }).then(
      ({ socket, leaf }) => {
        if (leaf === expected) return callback(null, socket)
        discard(socket)
        return callback(new AttestationError('tls-fingerprint', 'leaf_mismatch'), null)
      },
      (error: Error) => callback(error, null),
    )
  }
}
