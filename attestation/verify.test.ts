import { expect, test } from 'vitest'
import { type Stage, stages } from '#contract/reasons'
import { AttestationError, verifyBundle } from './index.ts'
import { HOSTNAME } from './testing/chains.ts'
import { type Changes, makeCase, SNAPSHOT, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from './testing/evidence.ts'
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
    rootFingerprint: expected.roots[0]?.fingerprint,
    hardware: null,
  })
})

test.each(faults)('$stage refuses $title as $reason', async ({ stage, reason, make }) => {
  const made = make()
  const { bytes, expected } = made instanceof Uint8Array ? { ...makeCase(), bytes: made } : makeCase(made)
  const refusal = await verifyBundle(bytes, expected).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(AttestationError)
  expect(refusal).toMatchObject({ stage, reason, ...progressAt(stage) })
})

/** What somebody can bring about who has nothing but what was ever published, and a pen. */
const replayed: [string, Changes][] = [
  ['an old bundle', { expected: { newestIssuedAt: new Date('2026-06-01T11:58:30.251Z') } }],
  [
    'an old bundle of another deployment, never to be approved',
    { expected: { newestIssuedAt: new Date('2026-06-01T11:58:30.251Z'), pins: [] } },
  ],
  [
    'an old bundle that does not hold',
    {
      payload: { evidenceDigest: TLS_FINGERPRINT },
      expected: { newestIssuedAt: new Date('2026-06-01T11:58:30.251Z') },
    },
  ],
  ['the newest bundle, gone stale', { expected: { now: new Date('2026-06-02T12:00:00Z') } }],
  ['the newest bundle, signed ahead of time', { expected: { now: new Date('2026-06-01T11:00:00Z') } }],
  ['another hostname’s bundle', { payload: { hostname: 'other.example' } }],
  ['a document of another kind', { payload: { kind: 'Receipt' } }],
  ['the newest bundle with another envelope', { envelope: { issuedAt: '2026-06-01T11:59:30.250Z' } }],
  [
    'a bundle that does not hold, with another envelope',
    {
      payload: { evidenceDigest: TLS_FINGERPRINT },
      envelope: { issuedAt: '2026-06-01T11:59:30.250Z' },
    },
  ],
  [
    'the newest bundle of a deployment that is not approved, over a connection of his own',
    { expected: { observedLeaf: SNAPSHOT_DIGEST, pins: [] } },
  ],
]

test.each(replayed)('%s is no word of the endpoint', async (_, changes) => {
  const { bytes, expected } = makeCase(changes)
  const refusal = await verifyBundle(bytes, expected).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ isOfSigned: false })
})

test('only what was signed, under a trusted root, for this hostname and anew, is the endpoint’s own word', async () => {
  const opened = faults.filter(({ stage }) => !['fetch', 'cert-chain'].includes(stage))
  const told = opened.map(async ({ make, stage, reason }) => {
    const made = make()
    const { bytes, expected } = made instanceof Uint8Array ? { ...makeCase(), bytes: made } : makeCase(made)
    const refusal = await verifyBundle(bytes, expected).catch((error: AttestationError) => error)
    return refusal instanceof AttestationError && refusal.isOfSigned ? `${stage}/${reason}` : undefined
  })
  expect(new Set((await Promise.all(told)).filter((each) => each !== undefined))).toEqual(
    new Set([
      'jws/digest_mismatch',
      'policy/no_pins',
      'policy/digest_not_pinned',
      'policy/policy_refused',
      'policy/policy_failed',
    ]),
  )
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
