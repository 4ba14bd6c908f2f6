import { type Admission, type AttestationError, type Json, toHex } from '#attestation'
import { quote } from '#base/foreign-text.ts'
import { deploymentInWords } from '#egress/deployment/deployment.ts'

/** A bundle that is shown, and how far it was verified. */
export interface Shown {
  readonly subject: string
  /** As it was signed. */
  readonly hostname: string
  /** Whether somebody else than the bundle named the hostname. */
  readonly isHostnameAsked: boolean
  readonly issuedAt: Date
  readonly evidence: Json
  /** What holds of the bundle by itself, under the root that came along; undefined where that does not hold either. */
  readonly admission: Admission | undefined
  /** Of the verification under the root that was named, or else under the one that came along. */
  readonly refusal: AttestationError | undefined
  readonly isRootNamed: boolean
  /** Whether it came over a connection whose certificate was seen. */
  readonly isFetched: boolean
}

/** What is said first of anything that no root of the reader's vouches for. */
export const NOBODY = 'Nobody has verified this.'

const stages = ['fetch', 'cert-chain', 'untrusted-root', 'jws', 'tls-fingerprint', 'policy'] as const
type Judged = (typeof stages)[number]

const WIDTH = 'tls-fingerprint'.length

/** The last stage that passed: without a root of the reader's none beyond the chain, and approving is left to the reader. */
export function lastStageOf({ refusal, isFetched, isRootNamed }: Shown): Judged | null {
  const seen: Judged = isFetched ? 'tls-fingerprint' : 'jws'
  const last = Math.min(
    refusal === undefined ? stages.indexOf(seen) : stages.indexOf(refusal.stage as Judged) - 1,
    isRootNamed ? stages.length : stages.indexOf('cert-chain'),
  )
  return stages[last] ?? null
}

/** A deployment for people: what was verified of it, then all that it consists of. */
export function shownInWords(shown: Shown): string[] {
  const { subject, hostname, issuedAt, evidence, admission } = shown
  return [
    `This is what ${subject} says is deployed for ${quote(hostname)}.`,
    verdictOn(shown),
    '',
    ...stages.map((stage) => `  ${stage.padEnd(WIDTH)}  ${markOf(stage, shown)}`),
    '',
    `  deployment  ${admission === undefined ? 'no digest: it is not signed as it stands' : toHex(admission.digest)}`,
    `  signed      ${issuedAt.toISOString()}${admission === undefined ? ', as it says' : ''}`,
    ...(admission === undefined ? [] : [`  root        ${toHex(admission.rootFingerprint)}`]),
    '',
    ...deploymentInWords(evidence),
  ]
}

function verdictOn({ refusal, isRootNamed }: Shown): string {
  if (refusal !== undefined) return `${NOBODY} It was refused: ${refusal.stage}, ${refusal.reason}.`
  return isRootNamed
    ? 'A root that you trust vouches for it. Whether you approve of it is yours to say: nothing here compared it with a pin.'
    : `${NOBODY} The root came along with it, and anybody can make one: name yours with --root.`
}

function markOf(stage: Judged, shown: Shown): string {
  const { refusal } = shown
  const end = refusal === undefined ? stages.length : stages.indexOf(refusal.stage as Judged)
  const place = stages.indexOf(stage)
  if (place === end) return `NO    ${refusal?.message ?? ''}`
  return place > end ? '-     Not looked at.' : passed[stage](shown)
}

const passed: Readonly<Record<Judged, (shown: Shown) => string>> = {
  fetch: ({ isHostnameAsked }) =>
    `ok    It can be read${isHostnameAsked ? ', and it is for this hostname' : '; the hostname is its own word'}.`,
  'cert-chain': () => 'ok    The certificates that sign it form a valid chain up to a root.',
  'untrusted-root': ({ isRootNamed }) =>
    isRootNamed
      ? 'ok    That root is one that you trust.'
      : '-     No root was named to compare it with; what follows rests on the one that came along.',
  jws: ({ isFetched }) =>
    isFetched
      ? 'ok    The signature holds, it is fresh, and it covers the whole snapshot.'
      : 'ok    The signature holds and covers the whole snapshot; how old it is was not looked at.',
  'tls-fingerprint': ({ isFetched }) =>
    isFetched
      ? 'ok    The connection ends at the certificate that was signed for.'
      : '-     Not looked at: there was no connection.',
  policy: () => '-     Not looked at: approving is yours.',
}
