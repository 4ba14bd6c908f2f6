import { afterEach, expect, test } from 'vitest'
import { AttestationError, type Digest, digestOf } from '#attestation'
import type { Outcome } from '#egress/evidence/attest.ts'
import { Refused, Withdrawn } from '#egress/refused.ts'
import { failed, passed } from '../../egress/testing/admissions.ts'
import { TestClock } from '../../egress/testing/clock.ts'
import { createCatalogue } from '../catalogue.ts'
import type { UpstreamModelConfig } from '../config/router.ts'
import { silent } from '../log.ts'
import { createShelf } from '../publication/shelf.ts'
import type { JsonRequest } from '../routes/handlers.ts'
import { listModels } from '../routes/models.ts'
import type { UpstreamEvent } from './events.ts'
import { upstreamMetrics } from './metric.ts'
import { approved, registrationOf } from './testing.ts'
import { Upstream } from './upstream.ts'

const MINUTE = 60_000
const leaf = digestOf('leaf')
const open: Upstream[] = []

afterEach(async () => {
  for (const upstream of open.splice(0)) await upstream.stop()
})

async function startWorld(registration = registrationOf()) {
  const clock = new TestClock()
  const events: Omit<UpstreamEvent, 'replica'>[] = []
  const world = {
    clock,
    events,
    outcome: passed(leaf) as Outcome,
    denials: 0,
    checks: 0,
    pins: [] as readonly Digest[],
  }
  const upstream = new Upstream({
    registration,
    apiKey: undefined,
    record: async () => 'recorded',
    onEvent: (event) => events.push(event),
    onDenial: () => {
      world.denials++
    },
    log: silent,
    clock,
    async attest({ pins }) {
      world.checks++
      world.pins = pins
      return world.outcome
    },
  })
  open.push(upstream)
  await clock.pass(0)
  return Object.assign(world, { upstream, state: () => upstream.endpoint.verdict.state })
}

const model = {
  id: 'vendor/large',
  pricing: { promptMicros: 1, completionMicros: 1 },
  capabilities: ['chat'],
  upstream: { name: 'vendor', model: 'large', usage: 'final' },
} as unknown as UpstreamModelConfig
const asked = { key: { modelScope: null } } as JsonRequest

const unpinned = new AttestationError('policy', 'digest_not_pinned')

test('a term lasts through renewals and ends, with the reason, as the verdict does', async () => {
  const world = await startWorld()
  const { term } = world.upstream.endpoint.admit()!
  await world.clock.pass(8 * MINUTE)
  expect(world.upstream.endpoint.admit()?.term).toBe(term)
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  expect(world.upstream.endpoint.admit()).toBeUndefined()
  expect(term.reason).toBeInstanceOf(Withdrawn)
  expect((term.reason as Withdrawn).ground).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })
})

test('reading verdict, metrics and models checks nothing and ends nothing, even when a verdict is over', async () => {
  const world = await startWorld()
  const { upstream, clock, events } = world
  const { term } = upstream.endpoint.admit()!
  const upstreams = { all: [upstream], find: () => upstream }
  const read = async () => {
    for (const metric of upstreamMetrics(upstreams)) if ('read' in metric) await metric.read()
    expect(upstream.endpoint.verdict.state).toBe(world.state())
    const dependencies = { catalogue: createCatalogue([model]), shelf: createShelf(), upstreams }
    const { body } = await listModels(dependencies)(asked)
    return body.data.length
  }
  expect(await read()).toBe(1)
  clock.setBack(60 * MINUTE)
  expect(await read()).toBe(1)
  clock.sleep(71 * MINUTE)
  expect([await read(), world.state()]).toEqual([0, 'pending'])
  expect([world.checks, events.length, term.aborted]).toEqual([1, 1, false])
  // A request acts on what was read.
  await expect(upstream.endpoint.awaitAdmittance({ since: clock.now() })).rejects.toThrow(Refused)
  expect([world.checks, term.aborted]).toEqual([2, true])
})

test('collateral that has run out lapses with the verdict and heals by itself; other hardware denies for good', async () => {
  const world = await startWorld()
  world.outcome = failed('untrusted-root', 'collateral_expired', leaf)
  await world.clock.pass(5 * MINUTE)
  expect([world.state(), world.denials]).toEqual(['admitted', 0])
  await world.clock.pass(6 * MINUTE)
  expect([world.state(), world.denials]).toEqual(['denied', 0])
  world.outcome = passed(leaf)
  await world.clock.pass(MINUTE)
  expect(world.state()).toBe('admitted')
  world.outcome = failed('untrusted-root', 'tcb_not_accepted', leaf)
  await world.clock.pass(5 * MINUTE)
  expect([world.state(), world.denials]).toEqual(['denied', 1])
})

test('one that was stopped, because it was registered anew, admits nothing any more', async () => {
  const { upstream } = await startWorld()
  const { term } = upstream.endpoint.admit()!
  await upstream.stop()
  expect([term.aborted, upstream.endpoint.admit()]).toEqual([true, undefined])
})

test('the withdrawal of another pin, which overtook the denial, does not lift it', async () => {
  const world = await startWorld()
  world.outcome = failed('cert-chain', 'signature_invalid', leaf)
  await world.clock.pass(4 * MINUTE)
  world.outcome = passed(leaf)
  world.upstream.apply(registrationOf({ revision: 2n }))
  await world.clock.pass(10 * MINUTE)
  expect([world.state(), world.upstream.unshared?.ground.reason]).toEqual(['denied', 'signature_invalid'])
  // It is shared under what was read since.
  expect(world.upstream.registration.revision).toBe(2n)
})

test('a denial of its own is not lifted by what was read before it was shared', async () => {
  const world = await startWorld()
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  expect([world.state(), world.denials]).toEqual(['denied', 1])
  expect(world.upstream.unshared?.ground.reason).toBe('digest_not_pinned')
  world.outcome = passed(leaf)
  world.upstream.apply(registrationOf())
  await world.clock.pass(10 * MINUTE)
  expect(world.state()).toBe('denied')
  world.upstream.apply(registrationOf({ revision: 2n, standing: { isDisabled: false, denial: unpinned } }))
  expect([world.state(), world.upstream.unshared]).toEqual(['denied', undefined])
})

test('an administrator’s act that overtook the denial counts for more', async () => {
  const world = await startWorld()
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  world.outcome = passed(leaf)
  world.upstream.apply(registrationOf({ revision: 2n, attestationsAsked: 1n }))
  await world.clock.pass(0)
  expect([world.state(), world.upstream.unshared]).toEqual(['admitted', undefined])
})

test('what an administrator approves is what the check is made by that lifts the denial', async () => {
  const world = await startWorld()
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(4 * MINUTE)
  const { checks } = world
  const pins = [approved, digestOf('next')]
  world.upstream.apply(registrationOf({ revision: 2n, attestationsAsked: 1n, pins }))
  expect([world.checks, world.pins]).toEqual([checks + 1, pins])
})

test('another router’s denial, and a pin that is gone, deny at once', async () => {
  const denied = await startWorld()
  denied.upstream.apply(registrationOf({ revision: 2n, standing: { isDisabled: false, denial: unpinned } }))
  expect([denied.state(), denied.denials]).toEqual(['denied', 0])
  const emptied = await startWorld()
  emptied.upstream.apply(registrationOf({ revision: 2n, pins: [] }))
  expect([emptied.state(), emptied.denials]).toEqual(['denied', 1])
  expect(emptied.upstream.unshared?.ground).toMatchObject({ stage: 'policy', reason: 'no_pins' })
})

test('each transition is told once, renewals are not', async () => {
  const world = await startWorld()
  await world.clock.pass(20 * MINUTE)
  world.outcome = failed('policy', 'digest_not_pinned')
  await world.clock.pass(20 * MINUTE)
  world.upstream.apply(registrationOf({ revision: 2n, standing: { isDisabled: true, denial: undefined } }))
  expect(world.events.map(({ event, reason }) => [event, reason])).toEqual([
    ['admitted', undefined],
    ['denied', 'digest_not_pinned'],
    ['disabled', 'disabled'],
  ])
  expect(world.events[1]?.at?.getTime()).toBeGreaterThan(world.events[0]!.at!.getTime())
})

test('a stranger’s answers deny nobody: they are counted, and an event for each run of them', async () => {
  const world = await startWorld()
  const { term } = world.upstream.endpoint.admit()!
  world.outcome = failed('fetch', 'http_status', digestOf('stranger'))
  await world.clock.pass(5 * MINUTE)
  expect([world.state(), world.denials, term.aborted]).toEqual(['admitted', 0, false])
  expect(world.upstream.foreignAnswers).toBeGreaterThan(2)
  world.outcome = passed(leaf)
  await world.clock.pass(1 * MINUTE)
  world.outcome = failed('jws', 'envelope_mismatch', digestOf('stranger'))
  await world.clock.pass(5 * MINUTE)
  expect(world.events.map(({ event, reason }) => [event, reason])).toEqual([
    ['admitted', undefined],
    ['foreign_answer', 'http_status'],
    ['foreign_answer', 'envelope_mismatch'],
  ])
  // The same answer from the endpoint itself denies it for good.
  world.outcome = failed('fetch', 'http_status', leaf)
  await world.clock.pass(1 * MINUTE)
  expect([world.state(), world.denials]).toEqual(['denied', 1])
})

test('one that is disabled or denied when the router starts is not checked', async () => {
  const disabled = await startWorld(registrationOf({ standing: { isDisabled: true, denial: undefined } }))
  const denied = await startWorld(registrationOf({ standing: { isDisabled: false, denial: unpinned } }))
  await disabled.clock.pass(MINUTE)
  await denied.clock.pass(MINUTE)
  expect([disabled.state(), denied.state(), denied.denials]).toEqual(['disabled', 'denied', 0])
})
