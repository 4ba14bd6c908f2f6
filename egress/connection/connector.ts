import type { buildConnector } from 'undici'
import { AttestationError, type Digest } from '#attestation'
import { limits } from '#contract/limits'
import { type DialOptions, dial, discard } from './dial.ts'
import type { Target } from './target.ts'

/** How to connect; tests pass a `connect` that misbehaves. */
export interface ConnectorOptions extends Pick<DialOptions, 'connect'> {
  readonly connectMs?: number
}

/**
 * Gives undici sockets whose certificate is the expected one, and no others: what it never gets, it cannot write a
 * request to (CONN-02).
 */
export function createConnector(
  target: Target,
  expected: Digest,
  { connect, connectMs = limits.connectTimeoutMs }: ConnectorOptions = {},
): buildConnector.connector {
  return (_, callback) => {
    const signal = AbortSignal.timeout(connectMs)
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
