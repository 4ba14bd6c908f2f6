/**
 * Reasons that no bundle in a file can have, for only a network or a clock that goes on provokes them; each with the
 * test that does.
 */
export const elsewhere: Readonly<Record<string, string>> = {
  'fetch/unreachable':
    'egress/evidence/fetch.test.ts: a port where nobody listens is unreachable, which is no result',
  'fetch/timeout': 'egress/evidence/fetch.test.ts: a server that %s is given up in time, which is no result',
  'fetch/tls_failed':
    'egress/evidence/fetch.test.ts: a server without TLS fails the handshake, which is no result',
  'attesting/verdict_pending':
    'egress/verdict/attestor.test.ts: it waits fifteen seconds at the most and is then told verdict_pending',
  'attesting/verdict_expired':
    'egress/verdict/verdict.test.ts: a verdict lives five minutes and then there is none, which is called verdict_expired',
  'attesting/disabled': 'egress/verdict/verdict.test.ts: an administrator disables after %s',
}
