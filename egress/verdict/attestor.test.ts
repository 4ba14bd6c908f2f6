import { expect, test } from 'vitest'
import { AttestationError, digestOf } from '#attestation'
import type { Outcome } from '../evidence/attest.ts'
import { failed, passed, unfinished } from '../testing/admissions.ts'
import { TestClock } from '../testing/clock.ts'
import { Attestor } from './attestor.ts'
import { type Admitted, proxyRules, upstreamRules, type Verdict } from './verdict.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const old = digestOf('old leaf')
const renewed = digestOf('renewed leaf')

/** A platform that answers every check as it is told; `hold` makes checks wait for `release`. */
function createWorld(first: Outcome, rules = proxyRules) {
  const clock = new TestClock()
  const checks: number[] = []
  const changes: Verdict[] = []
  const given: (Date | undefined)[] = []
  let newest: Date | undefined
  let gate = Promise.resolve()
  const world = {
    clock,
    checks,
    changes,
    given,
    outcome: first,
    fault: undefined as Error | undefined,
    signals: [] as AbortSignal[],
    ends: [] as Outcome[],
    release: () => {},
    hold() {
      gate = new Promise((resolve) => {
        world.release = resolve
      })
    },
    attestor: undefined as unknown as Attestor,
  }
  world.attestor = new Attestor({
    clock,
    rules,
    async attest(known, signal) {
      checks.push(clock.now().monotonicMs)
      given.push(known)
      world.signals.push(signal)
      await gate
      if (world.fault) throw world.fault
      return world.outcome
    },
    newest: {
      get: () => newest,
      keep: (issuedAt) => {
        newest = issuedAt
      },
    },
    onVerdict: (after) => changes.push(after),
    onCheck: (outcome) => world.ends.push(outcome),
  })
  return world
}

async function startWorld(first: Outcome, rules = proxyRules) {
  const world = createWorld(first, rules)
  world.attestor.start()
  await world.clock.pass(0)
  return world
}

function statesOf(world: { changes: Verdict[] }): string[] {
  return world.changes.map((verdict) =>
    verdict.state === 'admitted' ? verdict.state : verdict.ground.reason,
  )
}

test('a request that comes before the first verdict waits for it', async () => {
  const world = createWorld(passed(old))
  world.hold()
  world.attestor.start()
  const waiting = world.attestor.awaitVerdict()
  await world.clock.pass(14 * SECOND)
  world.release()
  expect((await waiting).state).toBe('admitted')
  expect(world.checks).toHaveLength(1)
})

test('it waits fifteen seconds at the most and is then told verdict_pending', async () => {
  const world = createWorld(passed(old))
  world.hold()
  world.attestor.start()
  let verdict: Verdict | undefined
  void world.attestor.awaitVerdict().then((settled) => {
    verdict = settled
  })
  await world.clock.pass(15 * SECOND - 1)
  expect(verdict).toBeUndefined()
  await world.clock.pass(1)
  expect(verdict).toMatchObject({
    state: 'pending',
    ground: { stage: 'attesting', reason: 'verdict_pending' },
  })
})

test('an admitted endpoint is checked every four minutes', async () => {
  const world = await startWorld(passed(old))
  await world.clock.pass(12 * MINUTE)
  expect(world.checks).toEqual([0, 4 * MINUTE, 8 * MINUTE, 12 * MINUTE])
  expect(world.attestor.verdict.state).toBe('admitted')
})

test('a denied endpoint is tried again after 1 to 30 seconds', async () => {
  const world = await startWorld(unfinished('unreachable'))
  await world.clock.pass(100 * SECOND)
  expect(world.checks.map((ms) => ms / SECOND)).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  world.outcome = passed(old)
  await world.clock.pass(30 * SECOND)
  expect(statesOf(world).at(-1)).toBe('admitted')
})

test('requests to a denied endpoint are refused at once and ask for one check, at most one a second', async () => {
  const world = await startWorld(failed('policy', 'digest_not_pinned'))
  await world.clock.pass(40 * SECOND)
  const before = world.checks.length
  await world.clock.pass(2 * SECOND)
  world.hold()
  const verdicts = await Promise.all([1, 2, 3].map(() => world.attestor.awaitVerdict()))
  expect(verdicts.map(({ state }) => state)).toEqual(['denied', 'denied', 'denied'])
  expect(world.checks).toHaveLength(before + 1)
  world.release()
  await world.clock.pass(0)
  await world.attestor.awaitVerdict()
  expect(world.checks).toHaveLength(before + 1)
})

test('an outage shorter than the verdict’s life is not noticed, a longer one ends it (V-09)', async () => {
  const world = await startWorld(passed(old))
  await world.clock.pass(3 * MINUTE)
  world.outcome = unfinished('unreachable')
  await world.clock.pass(2 * MINUTE - 1)
  expect(world.attestor.verdict.state).toBe('admitted')
  await world.clock.pass(1)
  expect(world.attestor.verdict).toMatchObject({ state: 'pending', ground: { reason: 'verdict_expired' } })
  await world.clock.pass(30 * SECOND)
  expect(statesOf(world)).toEqual(['admitted', 'verdict_expired', 'unreachable'])
})

test('a machine that slept finds its verdict overdue and refuses until it has checked (V-07)', async () => {
  const world = await startWorld(passed(old))
  world.hold()
  world.clock.sleep(6 * MINUTE)
  expect(await world.attestor.awaitVerdict()).toMatchObject({ ground: { reason: 'verdict_expired' } })
  expect(world.checks).toHaveLength(2)
  world.release()
  await world.clock.pass(0)
  expect(world.attestor.verdict.state).toBe('admitted')
})

test('running requests are told within a second of waking, without any new request', async () => {
  const world = await startWorld(passed(old))
  world.outcome = unfinished('unreachable')
  world.clock.sleep(6 * MINUTE)
  await world.clock.pass(1 * SECOND)
  expect(statesOf(world).slice(0, 2)).toEqual(['admitted', 'verdict_expired'])
})

test('a wall clock that is set back is answered by a check, and its verdict lives no longer for it', async () => {
  const world = await startWorld(passed(old))
  await world.clock.pass(1 * MINUTE)
  world.outcome = unfinished('unreachable')
  world.clock.setBack(60 * MINUTE)
  expect(world.attestor.verdict.state).toBe('admitted')
  expect(world.checks).toHaveLength(2)
  await world.clock.pass(4 * MINUTE)
  expect(world.attestor.verdict.state).not.toBe('admitted')
})

test('another failed check denies an admitted endpoint, and the next that passes admits it again', async () => {
  const world = await startWorld(passed(old))
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  expect(world.attestor.verdict.state).toBe('denied')
  world.outcome = passed(old)
  await world.clock.pass(1 * SECOND)
  expect(statesOf(world)).toEqual(['admitted', 'digest_not_pinned', 'admitted'])
})

test('each check is given the newest time of signing that was accepted', async () => {
  const issuedAt = new Date('2030-01-01T00:00:05Z')
  const world = await startWorld(passed(old, issuedAt))
  world.outcome = failed('jws', 'issued_at_rolled_back')
  await world.clock.pass(4 * MINUTE)
  expect(world.given).toEqual([undefined, issuedAt])
  expect(world.attestor.verdict.state).toBe('admitted')
})

test('requests that met another certificate share one check and go on under the new one (V-01)', async () => {
  const world = await startWorld(passed(old))
  const doubted = world.attestor.verdict as Admitted
  world.outcome = passed(renewed)
  world.hold()
  const rechecks = [1, 2, 3].map(() => world.attestor.recheck(doubted))
  await world.clock.pass(0)
  world.release()
  const verdicts = (await Promise.all(rechecks)) as Admitted[]
  expect(verdicts.map(({ admission }) => admission.certFingerprint)).toEqual([renewed, renewed, renewed])
  expect(world.checks).toHaveLength(2)
})

test('a check that began before the certificate changed does not count', async () => {
  const world = await startWorld(passed(old))
  const doubted = world.attestor.verdict as Admitted
  world.hold()
  await world.clock.pass(4 * MINUTE)
  const rechecked = world.attestor.recheck(doubted)
  world.release()
  await world.clock.pass(0)
  world.outcome = passed(renewed)
  await rechecked
  expect(world.checks).toHaveLength(3)
})

test('while no check passes, those that requests ask for keep a distance', async () => {
  const world = await startWorld(passed(old))
  const doubted = world.attestor.verdict as Admitted
  world.outcome = failed('tls-fingerprint', 'leaf_mismatch')
  expect(await world.attestor.recheck(doubted)).toBe(doubted)
  const again = world.attestor.recheck(doubted)
  await world.clock.pass(249)
  expect(world.checks).toHaveLength(2)
  await world.clock.pass(1)
  expect(await again).toBe(doubted)
  expect(world.checks).toHaveLength(3)
})

test('a check that never ends is given up after twenty seconds, told so, and the next one runs', async () => {
  const world = await startWorld(passed(old))
  world.hold()
  await world.clock.pass(4 * MINUTE + 20 * SECOND - 1)
  expect([world.checks.length, world.signals.at(-1)?.aborted]).toEqual([2, false])
  await world.clock.pass(1)
  expect(world.signals.at(-1)?.aborted).toBe(true)
  expect(world.ends.at(-1)).toMatchObject({
    kind: 'unfinished',
    ground: { stage: 'fetch', reason: 'timeout' },
  })
  const { release } = world
  world.hold()
  await world.clock.pass(1 * SECOND)
  expect(world.checks).toHaveLength(3)
  // What the one that was given up comes to is not looked at.
  world.outcome = failed('policy', 'digest_not_pinned')
  release()
  await world.clock.pass(0)
  expect([world.attestor.verdict.state, world.ends.length]).toEqual(['admitted', 2])
  world.outcome = passed(renewed)
  world.release()
  await world.clock.pass(0)
  expect((world.attestor.verdict as Admitted).admission.certFingerprint).toBe(renewed)
})

test('a check that throws has failed, and the next one runs', async () => {
  const world = createWorld(passed(old))
  world.fault = new Error('broken')
  world.attestor.start()
  await world.clock.pass(0)
  expect(world.attestor.verdict).toMatchObject({ state: 'denied', ground: { reason: 'malformed_bundle' } })
  world.fault = undefined
  await world.clock.pass(1 * SECOND)
  expect(world.attestor.verdict.state).toBe('admitted')
})

test('after it was stopped it checks no more', async () => {
  const world = await startWorld(passed(old))
  world.attestor.stop()
  await world.clock.pass(60 * MINUTE)
  expect(world.checks).toHaveLength(1)
})

const unpinned = new AttestationError('policy', 'digest_not_pinned')
const free = { isDisabled: false, denial: undefined }

test('a denial for good is not checked again until an administrator has acted, and then at once', async () => {
  const world = await startWorld(passed(old), upstreamRules)
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  world.outcome = passed(old)
  await world.clock.pass(60 * MINUTE)
  expect(world.attestor.verdict).toMatchObject({ state: 'denied', isSticky: true })
  expect((await world.attestor.awaitVerdict()).state).toBe('denied')
  await world.attestor.attest()
  expect(world.checks).toHaveLength(2)
  world.attestor.stand(free)
  expect((await world.attestor.awaitVerdict()).state).toBe('admitted')
  expect(world.checks).toHaveLength(3)
})

test('a pin that is withdrawn denies at once', async () => {
  const world = await startWorld(passed(old), upstreamRules)
  world.attestor.withdraw(unpinned)
  expect(world.attestor.verdict).toEqual({ state: 'denied', ground: unpinned, isSticky: true })
})

test('a disabled endpoint is not checked; enabled, its first request waits for a check', async () => {
  const world = createWorld(passed(old), upstreamRules)
  world.attestor.stand({ isDisabled: true, denial: undefined })
  world.attestor.start()
  await world.clock.pass(20 * MINUTE)
  expect(world.checks).toHaveLength(0)
  world.attestor.stand(free)
  expect((await world.attestor.awaitVerdict()).state).toBe('admitted')
})

test('a check that ends while the endpoint is disabled changes nothing', async () => {
  const world = createWorld(passed(old), upstreamRules)
  world.hold()
  world.attestor.start()
  world.attestor.stand({ isDisabled: true, denial: undefined })
  world.release()
  await world.clock.pass(0)
  expect(world.attestor.verdict.state).toBe('disabled')
})

test('an upstream’s verdict outlives an outage of less than ten minutes', async () => {
  const world = await startWorld(passed(old), upstreamRules)
  world.outcome = unfinished('unreachable')
  await world.clock.pass(10 * MINUTE - 1)
  expect(world.attestor.verdict.state).toBe('admitted')
  await world.clock.pass(1)
  expect(world.attestor.verdict).toMatchObject({ ground: { reason: 'verdict_expired' } })
})
