import { expect, test } from 'vitest'
import { reasons, type Stage, stages } from '#contract'
import { AttestationError, verifyBundle } from './index.ts'
import { HOSTNAME } from './testing/chains.ts'
import { makeCase, SNAPSHOT, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from './testing/evidence.ts'
import { algorithms } from './testing/keys.ts'
import { bindingRefusals, policyRefusals } from './testing/refusals/binding.ts'
import { chainRefusals, rootRefusals } from './testing/refusals/chain.ts'
import { fetchRefusals } from './testing/refusals/fetch.ts'
import { payloadRefusals, signatureRefusals } from './testing/refusals/jws.ts'
import type { Refusals } from './testing/refusals/table.ts'

/** In the order of the stages. */
const refusals: readonly (readonly [Stage, Refusals])[] = [
  ['fetch', fetchRefusals],
  ['cert-chain', chainRefusals],
  ['untrusted-root', rootRefusals],
  ['jws', { ...signatureRefusals, ...payloadRefusals }],
  ['tls-fingerprint', bindingRefusals],
  ['policy', policyRefusals],
]

/** What only the one who fetches can find. */
const FETCHER = ['unreachable', 'timeout', 'tls_failed', 'http_status', 'redirected']

const faults = refusals.flatMap(([stage, byReason]) =>
  Object.entries(byReason).flatMap(([reason, byTitle]) =>
    Object.entries(byTitle).map(([title, make]) => ({ stage, reason, title, make })),
  ),
)

test.each(algorithms)('a bundle signed with %s under a chain of the same is admitted', async (algorithm) => {
  const { bytes, expected } = makeCase({ algorithm })
  expect(await verifyBundle(bytes, expected)).toEqual({
    digest: SNAPSHOT_DIGEST,
    hostname: HOSTNAME,
    issuedAt: new Date('2026-06-01T11:58:30.250Z'),
    certFingerprint: TLS_FINGERPRINT,
    evidence: SNAPSHOT,
    channelBinding: 'observed',
    rootFingerprint: expected.trustedRoots[0]?.fingerprint,
  })
})

test.each(faults)('$stage refuses $title as $reason', async ({ stage, reason, make }) => {
  const made = make()
  const { bytes, expected } = made instanceof Uint8Array ? { ...makeCase(), bytes: made } : makeCase(made)
  const refusal = await verifyBundle(bytes, expected).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(AttestationError)
  expect(refusal).toMatchObject({ stage, reason, ...progressAt(stage) })
})

test.each(refusals)('every reason of %s that judging a bundle can give has a fault', (stage, byReason) => {
  const known = Object.keys(reasons[stage]).filter((reason) => !FETCHER.includes(reason))
  expect(Object.keys(byReason).sort()).toEqual(known.sort())
})

test('a verdict that is not there was verified through nothing', () => {
  expect(new AttestationError('attesting', 'verdict_pending').verifiedThrough).toBeNull()
})

/** How far a bundle came that is refused at a stage, and what is known of it then. */
function progressAt(stage: Stage) {
  const index = stages.indexOf(stage)
  const evidenceDigest = index > stages.indexOf('jws') ? SNAPSHOT_DIGEST : undefined
  return { verifiedThrough: stages[index - 1] ?? null, evidenceDigest }
}
