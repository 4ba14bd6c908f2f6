/** Of hardware: a running proxy knows the real vendors alone, and nobody here can make what they would vouch for. */
const ofHardware = [
  'quote_missing',
  'quote_malformed',
  'quote_unsupported',
  'endorsement_invalid',
  'endorsement_expired',
  'endorsement_revoked',
  'quote_signature_invalid',
  'collateral_missing',
  'collateral_invalid',
  'collateral_expired',
  'tcb_not_accepted',
  'guest_unprotected',
  'measurement_not_listed',
  'root_key_not_bound',
]

/** Stages and reasons that no gateway can provoke at a running proxy, each with what it takes instead. */
export const unserved: Readonly<Record<string, string>> = {
  'untrusted-root/no_trusted_roots':
    'it is the caller’s expectation that lacks a root: a proxy without one is not started',
  'tls-fingerprint/leaf_not_observed': 'a proxy has made the connection itself, and sees its certificate',
  ...Object.fromEntries(
    ofHardware.map((reason) => [
      `untrusted-root/${reason}`,
      'hardware is demanded by a configuration of this project’s own, under the vendors that are built in',
    ]),
  ),
  'policy/no_pins': 'it is the caller’s expectation that lacks a pin: a proxy without one is not started',
}
