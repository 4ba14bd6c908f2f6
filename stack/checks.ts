import type { VerificationStage } from '#contract/models'

/** What it means that a bundle has passed, stage by stage, in the order in which it is judged (VRFY-01). */
export const checks: Readonly<Record<VerificationStage, string>> = {
  fetch: 'the evidence came over its own connection, and is for this hostname',
  'cert-chain': 'the certificates that sign it form a valid chain up to a root',
  'untrusted-root': 'that root is the trusted one',
  jws: 'the signature holds and is fresh; the digest was computed anew',
  'tls-fingerprint': 'the connection ends at the certificate that was signed for',
  policy: 'the deployment, by that digest, is the pinned one',
}

/** What it does not mean. */
export const NOT_PROVEN =
  `Not proven by this: any hardware. The evidence has a place for such a proof, rootCaTeeQuote;
it says not-implemented, and nobody validates it. The root is a throw-away one that this demo made and told its own
proxy to trust, and the deployment is a sample that it pinned without a look. Whoever relies on a router reviews what
is deployed, and has the root from somebody they trust.`.replaceAll('\n', ' ')
