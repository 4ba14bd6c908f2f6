import { afterEach, expect, test } from 'vitest'
import {
  digestOf,
  type Expectation,
  type HardwareCondition,
  type HardwareEvidence,
  type Policy,
} from '#attestation'
import { AttestedEndpoint, findObjection } from './endpoint.ts'
import type { Outcome } from './evidence/attest.ts'
import type { Recorded } from './evidence/check.ts'
import { Refused, Withdrawn } from './refused.ts'
import { admissionOf, basis, expectation, failed, passed } from './testing/admissions.ts'
import { TestClock } from './testing/clock.ts'
import { createIdentity, HOSTNAME } from './testing/identity.ts'
import { unjudged, upstreamRules, type Verdict } from './verdict/verdict.ts'

const MINUTE = 60_000
const leaf = digestOf('leaf')
const open: AttestedEndpoint[] = []

afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.stop(new Error('The test is over.'))
})

/** An endpoint whose checks end as told, each by what is expected of it, and are recorded as told. */
async function startWorld(recorded: Promise<Recorded> | Recorded = 'recorded') {
  const clock = new TestClock()
  const world = {
    clock,
    changes: [] as Verdict[],
    checks: 0,
    outcome: passed(leaf) as Outcome,
  }
  const endpoint = new AttestedEndpoint({
    target: { hostname: HOSTNAME, host: '127.0.0.1', port: 1 },
    expected: expectation,
    rules: upstreamRules,
    clock,
    async attest(expected) {
      world.checks += 1
      const { outcome } = world
      return outcome.kind === 'passed' ? { ...outcome, basis: { ...basis, expected } } : outcome
    },
    memory: { newestIssuedAt: () => undefined, record: () => recorded },
    onVerdict: (after) => world.changes.push(after),
    onCheck() {},
    onThrown: (error) => expect.unreachable(String(error)),
  })
  open.push(endpoint)
  endpoint.start()
  await clock.pass(0)
  return Object.assign(world, { endpoint })
}

function policy(allows: Policy['allows']): Policy {
  return { name: 'p', allow: '', allows }
}

test.each<[string, Partial<Expectation>, string | undefined]>([
  ['the same', {}, undefined],
  ['another pin more', { pins: [...expectation.pins, digestOf('next')] }, undefined],
  ['its pin less', { pins: [digestOf('next')] }, 'digest_not_pinned'],
  ['no pin at all', { pins: [] }, 'no_pins'],
  ['its root less', { roots: [] }, 'root_not_trusted'],
  ['a policy that refuses', { policies: [policy(() => false)] }, 'policy_refused'],
  [
    'a policy that fails',
    {
      policies: [
        policy(() => {
          throw new Error('no such member')
        }),
      ],
    },
    'policy_failed',
  ],
  ['a policy that says neither', { policies: [policy(() => 'yes' as never)] }, 'policy_failed'],
])('what is admitted is held against what is newly expected: %s', async (_, change, reason) => {
  const expected = { ...expectation, ...change }
  expect(findObjection({ admission: admissionOf(leaf), basis }, expected)?.reason).toBe(reason)
  const { endpoint, checks } = await startWorld()
  const { term } = endpoint.admit()!
  endpoint.expect(expected)
  expect(endpoint.verdict.state).toBe(reason === undefined ? 'admitted' : 'denied')
  expect(term.aborted).toBe(reason !== undefined)
  if (reason !== undefined) expect((term.reason as Withdrawn).ground.reason).toBe(reason)
  // It asks nobody for that.
  expect(checks).toBe(1)
})

test.each([
  ['as old as it was', 60, undefined],
  ['younger', 59, 'bundle_stale'],
])('a signature is held against a greatest age that is newly expected: %s', (_, minutes, reason) => {
  const admission = admissionOf(leaf, new Date(basis.judgedAt.getTime() - 60 * MINUTE))
  const expected = { ...expectation, maxBundleAgeMs: minutes * MINUTE }
  expect(findObjection({ admission, basis }, expected)?.reason).toBe(reason)
})

const chip = {
  tee: 'snp',
  product: 'Genoa',
  measurement: 'ab'.repeat(48),
  minimumTcb: { bootloader: 1, tee: 0, snp: 2, microcode: 3 },
} as const
const hardware: HardwareEvidence = {
  format: 'amd-sev-snp-report',
  product: 'Genoa',
  tcb: { status: null, parts: chip.minimumTcb, advisories: [] },
  measurements: { measurement: chip.measurement },
  vmpl: 0,
  endorsement: 'vcek',
  endorsedUntil: new Date('2031-01-01T00:00:00Z'),
  collateralUntil: null,
  chipId: null,
}
const identity = createIdentity()
/** One that signed itself is its own root. */
const publishedRoot = identity.fingerprint
const published = Buffer.from(
  JSON.stringify({
    version: 1,
    kind: 'DeploymentEvidence',
    hostname: HOSTNAME,
    issuedAt: '2030-01-01T00:00:00Z',
    certChain: [identity.pem.replace(/^.*(?=-----BEGIN CERT)/s, '')],
    certFingerprint: leaf,
    jws: 'a.b.c',
    rootCaTeeQuote: { status: 'not-implemented' },
  }),
)
const newer = { ...chip, minimumTcb: { ...chip.minimumTcb, snp: 3 } }

test.each<[string, HardwareEvidence | null, readonly HardwareCondition[] | undefined, string | undefined]>([
  ['the same', hardware, [chip], undefined],
  ['one more', hardware, [newer, chip], undefined],
  ['nothing any more', hardware, undefined, undefined],
  ['its measurement less', hardware, [{ ...chip, measurement: 'cd'.repeat(48) }], 'measurement_not_listed'],
  ['newer firmware', hardware, [newer], 'tcb_not_accepted'],
  ['hardware where none was', null, [chip], 'quote_missing'],
])(
  'what is newly demanded of hardware is held against what was seen of it: %s',
  (_, seen, attested, reason) => {
    const admission = { ...admissionOf(leaf), hardware: seen }
    const [root] = expectation.roots
    const roots = [{ ...root!, attested }]
    const objection = findObjection(
      { admission, basis: { ...basis, bytes: published } },
      { ...expectation, roots },
    )
    expect(objection?.reason).toBe(reason)
  },
)

test.each([
  ['names the hostname', HOSTNAME, true, undefined],
  ['names another one', 'other.localhost', true, 'leaf_name_mismatch'],
  ['names another one, as it may', 'other.localhost', false, undefined],
])('a leaf is held against a name that is newly asked for: it %s', (_, hostname, requireLeafName, reason) => {
  const [root] = expectation.roots
  const before = { ...expectation, roots: [{ ...root!, requireLeafName: false }] }
  const judgedAt = new Date()
  const admission = { ...admissionOf(leaf, judgedAt), hostname }
  const objection = findObjection(
    { admission, basis: { bytes: published, judgedAt, expected: before } },
    { ...expectation, roots: [{ ...root!, fingerprint: publishedRoot, requireLeafName }, root!] },
  )
  expect(objection?.reason).toBe(reason)
})

test('what cannot be held against what is newly expected does not hold, and nothing is thrown', () => {
  const [root] = expectation.roots
  const expected = { ...expectation, roots: [{ ...root!, attested: [undefined as never] }] }
  const seen = { admission: { ...admissionOf(leaf), hardware }, basis }
  expect(findObjection(seen, expected)).toMatchObject({ stage: 'fetch', reason: 'malformed_bundle' })
})

test('what is no longer expected once its admission has been recorded is withdrawn at once', async () => {
  const { promise, resolve } = Promise.withResolvers<Recorded>()
  const { endpoint, clock, changes } = await startWorld(promise)
  endpoint.expect({ ...expectation, pins: [] })
  resolve('recorded')
  await clock.pass(0)
  expect(changes.map(({ state }) => state)).toEqual(['admitted', 'denied'])
  expect(endpoint.admit()).toBeUndefined()
})

test('a term lasts through renewals and ends, with the reason, as the verdict does', async () => {
  const world = await startWorld()
  const { term } = world.endpoint.admit()!
  await world.clock.pass(12 * MINUTE)
  expect(world.endpoint.admit()?.term).toBe(term)
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  expect(world.endpoint.admit()).toBeUndefined()
  expect(term.reason).toBeInstanceOf(Withdrawn)
  expect((term.reason as Withdrawn).ground).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })
})

test('a request looks at the clocks before it goes under a verdict: one that slept over its life admits nobody', async () => {
  const { endpoint, clock } = await startWorld()
  const { term } = endpoint.admit()!
  clock.sleep(11 * MINUTE)
  expect([endpoint.verdict.state, term.aborted]).toEqual(['pending', false])
  expect(endpoint.admit()).toBeUndefined()
  expect((term.reason as Withdrawn).ground.reason).toBe('verdict_expired')
})

test('who waits for a verdict in vain is refused with its reason', async () => {
  const world = await startWorld()
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  const refused = world.endpoint.awaitAdmittance({ since: world.endpoint.now })
  await expect(refused).rejects.toMatchObject({
    code: 'attestation_failed',
    ground: { reason: 'digest_not_pinned' },
  })
})

test('one that was stopped admits nothing for good, and is still to be judged where another takes its place', async () => {
  const { endpoint } = await startWorld()
  const { term } = endpoint.admit()!
  const reason = new Withdrawn(unjudged.ground)
  await endpoint.stop(reason)
  expect([term.reason, endpoint.admit()]).toEqual([reason, undefined])
  const refused = await endpoint.awaitAdmittance({ since: endpoint.now }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refused)
  expect(refused).toMatchObject({ ground: { reason: 'verdict_pending' }, heals: true })
})
