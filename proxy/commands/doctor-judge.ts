import { X509Certificate } from 'node:crypto'
import { AttestationError, inspectBundle, toHex, verifyBundle } from '#attestation'
import { stages } from '#contract/reasons'
import { type Fetched, fetchBundle } from '#egress/evidence/fetch.ts'
import type { EndpointConfig } from '../config/proxy.ts'
import { type CheckName, type Finding, failed, notReached, ok } from './doctor-finding.ts'
import { nameInWords } from './doctor-probe.ts'
import { findReason } from './words.ts'

/** How the evidence of an endpoint was judged. */
export interface Judgement {
  readonly findings: readonly Finding[]
  readonly refusal: AttestationError | undefined
  /** Who issues the certificates of the endpoint's platform, so far as its bundle says. */
  readonly issuers: readonly string[]
}

const passed: Readonly<Partial<Record<CheckName, string>>> = {
  fetch: 'The bundle was read, and it is for this hostname.',
  'cert-chain': 'The certificates that sign it form a valid chain.',
  'untrusted-root': 'It ends at a root that the configuration trusts.',
  jws: 'The signature holds, it is fresh, and it covers the whole snapshot.',
  'tls-fingerprint': 'The connection ends at the certificate that was signed for.',
  policy: 'The deployment is pinned, and every policy allows it.',
}

const judged = stages.filter((stage): stage is typeof stage & CheckName => stage in passed)

/** Judges an endpoint as the running proxy does: same expectation, same memory, a connection of its own. */
export async function judge(
  endpoint: EndpointConfig,
  now: Date,
  newestIssuedAt: Date | undefined,
): Promise<Judgement> {
  let fetched: Fetched | undefined
  try {
    fetched = await fetchBundle(endpoint.target)
    await verifyBundle(fetched.bytes, {
      ...endpoint,
      hostname: endpoint.target.hostname,
      observedLeaf: fetched.observedLeaf,
      now,
      newestIssuedAt,
    })
    return { findings: findingsOf(undefined), refusal: undefined, issuers: [] }
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return { findings: findingsOf(thrown), refusal: thrown, issuers: fetched ? issuersIn(fetched.bytes) : [] }
  }
}

/** The stages when nothing was fetched, because no connection comes about. */
export function unreachedStages(): readonly Finding[] {
  return judged.map(notReached)
}

function findingsOf(refusal: AttestationError | undefined): Finding[] {
  const end = refusal === undefined ? judged.length : (judged as readonly string[]).indexOf(refusal.stage)
  return judged.map((stage, index) => {
    if (index < end) return ok(stage, passed[stage] ?? '')
    return index > end || refusal === undefined ? notReached(stage) : refused(stage, refusal)
  })
}

function refused(
  stage: CheckName,
  { stage: name, reason, message, evidenceDigest }: AttestationError,
): Finding {
  const entry = findReason(name, reason)
  const deployment =
    stage === 'policy' && evidenceDigest !== undefined ? ` The endpoint runs ${toHex(evidenceDigest)}.` : ''
  return failed(stage, `${reason}: ${message}${deployment}`, { entry })
}

/** Names alone: whoever stands between can choose any, so that they tell apart honest cases only. */
function issuersIn(bytes: Uint8Array): string[] {
  try {
    const { bundle } = inspectBundle(bytes)
    const names = bundle.certChain.map((pem) => new X509Certificate(pem).subject)
    const issuer = bundle.tlsLeaf === undefined ? [] : [new X509Certificate(bundle.tlsLeaf).issuer]
    return [...names, ...issuer].map(nameInWords)
  } catch {
    return []
  }
}
