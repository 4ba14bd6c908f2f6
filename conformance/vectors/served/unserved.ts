/** Stages and reasons that no gateway can provoke at a running proxy, each with what it takes instead. */
export const unserved: Readonly<Record<string, string>> = {
  'untrusted-root/no_trusted_roots':
    'it is the caller’s expectation that lacks a root: a proxy without one is not started',
  'tls-fingerprint/leaf_not_observed': 'a proxy has made the connection itself, and sees its certificate',
  'policy/no_pins': 'it is the caller’s expectation that lacks a pin: a proxy without one is not started',
}
