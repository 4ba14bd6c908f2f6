import { expect, test } from 'vitest'
import { AttestationError, digestOf } from '#attestation'
import { limits } from '#contract/limits'
import type { Outcome } from '../evidence/attest.ts'
import { createCheck } from '../evidence/check.ts'
import { expectation, failed, passed, unfinished } from '../testing/admissions.ts'
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
    /** Which callback throws that. */
    thrower: undefined as 'onVerdict' | 'onCheck' | 'record' | undefined,
    broken: new Error('broken'),
    thrown: [] as unknown[],
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
  const throwAs = (name: typeof world.thrower) => {
    if (world.thrower === name) throw world.broken
  }
  world.attestor = new Attestor({
    clock,
    rules,
    attest: createCheck({
      async attest(_, known, signal) {
        checks.push(clock.now().monotonicMs)
        given.push(known)
        world.signals.push(signal)
        await gate
        if (world.fault) throw world.fault
        return world.outcome
      },
      expected: () => expectation,
      memory: {
        newestIssuedAt: () => newest,
        record({ admission: { issuedAt } }) {
          throwAs('record')
          newest = issuedAt
          return 'recorded'
        },
      },
      onThrown: (error) => world.thrown.push(error),
    }),
    onVerdict(after) {
      throwAs('onVerdict')
      changes.push(after)
    },
    onCheck(outcome) {
      throwAs('onCheck')
      world.ends.push(outcome)
    },
    onThrown: (error) => world.thrown.push(error),
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

test('only so many wait for the first verdict; what comes beyond is told verdict_pending at once', async () => {
  const world = createWorld(passed(old))
  world.hold()
  world.attestor.start()
  const waiting = Array.from({ length: limits.maxWaitingRequests }, () => world.attestor.awaitVerdict())
  expect(await world.attestor.awaitVerdict()).toMatchObject({ ground: { reason: 'verdict_pending' } })
  world.release()
  await world.clock.pass(0)
  for (const verdict of await Promise.all(waiting)) expect(verdict.state).toBe('admitted')
})

test.each([
  ['has waited for the first verdict in vain', () => {}, 15 * SECOND],
  ['leaves while it waits for the first verdict', (client: AbortController) => client.abort(), 0],
])('a request that %s makes room for another', async (_, leave, laterMs) => {
  const world = createWorld(passed(old))
  world.hold()
  world.attestor.start()
  const clients = Array.from({ length: limits.maxWaitingRequests }, () => new AbortController())
  const since = world.clock.now()
  const waiting = clients.map(({ signal }) => world.attestor.awaitVerdict({ since, signal }))
  clients.forEach(leave)
  await world.clock.pass(laterMs)
  for (const verdict of await Promise.all(waiting)) expect(verdict.state).toBe('pending')
  const next = world.attestor.awaitVerdict()
  world.release()
  await world.clock.pass(0)
  expect((await next).state).toBe('admitted')
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

test('a wall clock that was set back is noticed within a second, without any new request', async () => {
  const world = await startWorld(passed(old))
  world.clock.setBack(60 * MINUTE)
  await world.clock.pass(1 * SECOND)
  expect(world.checks).toHaveLength(2)
})

test('reading a verdict that is over says so, and ends nothing until somebody looks', async () => {
  const world = await startWorld(passed(old))
  world.clock.sleep(6 * MINUTE)
  expect(world.attestor.verdict).toMatchObject({ state: 'pending', ground: { reason: 'verdict_expired' } })
  expect([statesOf(world), world.checks.length]).toEqual([['admitted'], 1])
  expect(world.attestor.look()).toBe(world.attestor.verdict)
  expect(statesOf(world)).toEqual(['admitted', 'verdict_expired'])
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
  expect(world.checks).toHaveLength(1)
  expect(world.attestor.look().state).toBe('admitted')
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

/** A request that has met another certificate than the present verdict names. */
function meet(world: Awaited<ReturnType<typeof startWorld>>, signal?: AbortSignal) {
  const { attestor } = world
  const doubted = attestor.verdict as Admitted
  const met = { doubted, verdict: undefined as Verdict | undefined, isOver: false }
  void attestor.awaitRenewal(doubted, { since: attestor.now, signal }).then((verdict) => {
    met.verdict = verdict
    met.isOver = true
  })
  return met
}

const leafOf = ({ verdict }: { readonly verdict: Verdict | undefined }) =>
  verdict?.state === 'admitted' ? verdict.admission.certFingerprint : verdict

const unsigned = failed('tls-fingerprint', 'leaf_mismatch', renewed)

test('requests that met another certificate share one check and go on under the new one (V-01)', async () => {
  const world = await startWorld(passed(old))
  world.outcome = passed(renewed)
  world.hold()
  const met = [1, 2, 3].map(() => meet(world))
  await world.clock.pass(0)
  world.release()
  await world.clock.pass(0)
  expect(met.map(leafOf)).toEqual([renewed, renewed, renewed])
  expect(world.checks).toHaveLength(2)
})

test('a check that began before the certificate changed does not count, unless it knows of it', async () => {
  const world = await startWorld(passed(old))
  world.hold()
  await world.clock.pass(4 * MINUTE)
  await world.clock.pass(1)
  const met = meet(world)
  const { release } = world
  world.hold()
  release()
  await world.clock.pass(0)
  expect([world.checks.length, met.isOver]).toEqual([3, false])
  world.outcome = passed(renewed)
  world.release()
  await world.clock.pass(0)
  expect(leafOf(met)).toBe(renewed)
  expect(world.checks).toHaveLength(3)
})

test('a request whose verdict was renewed while it connected goes on at once, however long a check takes', async () => {
  const world = await startWorld(passed(old))
  const doubted = world.attestor.verdict as Admitted
  world.outcome = passed(renewed)
  await world.attestor.attest()
  world.hold()
  const verdict = await world.attestor.awaitRenewal(doubted, { since: world.attestor.now })
  expect(leafOf({ verdict })).toBe(renewed)
  expect([world.attestor.waiting, world.checks.length]).toEqual([0, 2])
})

test('while the platform has not signed, requests wait and share checks, ever slower, down to one a second', async () => {
  const world = await startWorld(passed(old))
  await world.clock.pass(1 * MINUTE)
  world.outcome = unsigned
  const met = [meet(world), meet(world)]
  await world.clock.pass(3 * SECOND)
  expect(world.checks.slice(1).map((ms) => ms - 1 * MINUTE)).toEqual([0, 250, 750, 1_750, 2_750])
  expect(world.attestor.waiting).toBe(2)
  world.outcome = passed(renewed)
  await world.clock.pass(1 * SECOND)
  expect(met.map(leafOf)).toEqual([renewed, renewed])
  expect(world.attestor.waiting).toBe(0)
  const { length } = world.checks
  await world.clock.pass(3 * MINUTE)
  expect(world.checks).toHaveLength(length)
})

test('a request waits fifteen seconds from its arrival and no longer, the first verdict included', async () => {
  const world = await startWorld(passed(old))
  world.outcome = unsigned
  const arrived = world.attestor.now
  await world.clock.pass(5 * SECOND)
  const met = { isOver: false, verdict: undefined as Verdict | undefined }
  const doubted = world.attestor.verdict as Admitted
  void world.attestor.awaitRenewal(doubted, { since: arrived }).then((verdict) => {
    Object.assign(met, { verdict, isOver: true })
  })
  await world.clock.pass(10 * SECOND - 1)
  expect(met.isOver).toBe(false)
  await world.clock.pass(1)
  expect(met).toEqual({ isOver: true, verdict: undefined })
  expect(world.attestor.verdict).toBe(doubted)
  const { length } = world.checks
  await world.clock.pass(5 * SECOND)
  // Nobody waits any more: only the checks that are due by themselves go on.
  expect(world.checks.length - length).toBeLessThanOrEqual(1)
})

test('a request that nobody waits for any more waits no longer, and one that comes too late not at all', async () => {
  const world = await startWorld(passed(old))
  world.outcome = unsigned
  const left = new AbortController()
  const [one, other] = [meet(world, left.signal), meet(world)]
  await world.clock.pass(1 * SECOND)
  left.abort()
  await world.clock.pass(0)
  expect([one.isOver, other.isOver, world.attestor.waiting]).toEqual([true, false, 1])
  const late = { since: { wallMs: 0, monotonicMs: -15 * SECOND } }
  expect(await world.attestor.awaitRenewal(other.doubted, late)).toBeUndefined()
  world.attestor.stop()
  await world.clock.pass(0)
  expect([other.isOver, world.attestor.waiting]).toEqual([true, 0])
})

test('no more than a thousand wait; what comes beyond is told at once', async () => {
  const world = await startWorld(passed(old))
  world.outcome = unsigned
  const met = Array.from({ length: 1_001 }, () => meet(world))
  await world.clock.pass(0)
  expect(met.map(({ isOver }) => isOver)).toEqual([...Array(1_000).fill(false), true])
  world.outcome = passed(renewed)
  await world.clock.pass(1 * SECOND)
  expect(met.filter(({ verdict }) => verdict !== undefined)).toHaveLength(1_000)
})

test('a verdict that ends while requests wait ends their wait', async () => {
  const world = await startWorld(passed(old), upstreamRules)
  world.outcome = unsigned
  const met = meet(world)
  await world.clock.pass(1 * SECOND)
  world.attestor.withdraw(unpinned)
  await world.clock.pass(0)
  expect(met.verdict).toMatchObject({ state: 'denied', ground: unpinned })
})

test('requests that ask one after the other have no more checks made than one every 250 milliseconds', async () => {
  const world = await startWorld(passed(old))
  await world.clock.pass(1 * SECOND)
  const first = meet(world)
  await world.clock.pass(0)
  expect([leafOf(first), world.checks.length]).toEqual([old, 2])
  const second = meet(world)
  await world.clock.pass(249)
  expect([second.isOver, world.checks.length]).toEqual([false, 2])
  await world.clock.pass(1)
  expect([leafOf(second), world.checks.length]).toEqual([old, 3])
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

test.each(['onVerdict', 'onCheck'] as const)(
  'what %s throws is told, and the verdict is kept all the same',
  async (name) => {
    const world = createWorld(passed(old))
    world.thrower = name
    world.attestor.start()
    await world.clock.pass(0)
    expect(world.attestor.verdict.state).toBe('admitted')
    expect(world.thrown).toEqual([world.broken])
    const { verdict } = world.attestor
    const waiting = world.attestor.awaitRenewal(verdict as Admitted, { since: world.clock.now() })
    world.outcome = passed(renewed)
    await world.clock.pass(SECOND)
    expect(await waiting).toMatchObject({ admission: { certFingerprint: renewed } })
    await world.clock.pass(20 * MINUTE)
    expect(world.checks.length).toBeGreaterThan(5)
    expect(world.attestor.verdict.state).toBe('admitted')
  },
)

test('a time of signing that cannot be recorded admits nothing, is told, and the next check may', async () => {
  const world = createWorld(passed(old))
  world.thrower = 'record'
  world.attestor.start()
  await world.clock.pass(0)
  expect(world.attestor.verdict).toMatchObject({ state: 'denied', ground: { reason: 'verdict_pending' } })
  expect(world.thrown).toEqual([world.broken])
  world.thrower = undefined
  await world.clock.pass(2 * SECOND)
  expect(world.attestor.verdict.state).toBe('admitted')
})
