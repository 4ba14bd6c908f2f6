import { expect, test } from 'vitest'
import { AttestationError, digestOf } from '#attestation'
import type { Stage } from '#contract/reasons'
import type { Moment } from '../clock.ts'
import type { Outcome } from '../evidence/attest.ts'
import { failed, passed, unfinished } from '../testing/admissions.ts'
import {
  afterCheck,
  afterStanding,
  afterTime,
  afterWithdrawal,
  isForeign,
  lifeLeftMs,
  proxyRules,
  restMs,
  unjudged,
  upstreamRules,
  type Verdict,
} from './verdict.ts'

const MINUTE = 60_000
const start: Moment = { wallMs: 1_000_000, monotonicMs: 500 }
const leaf = digestOf('leaf')

function later(ms: number): Moment {
  return { wallMs: start.wallMs + ms, monotonicMs: start.monotonicMs + ms }
}

const admitted = afterCheck(unjudged, passed(leaf), start, proxyRules)
const denied = afterCheck(unjudged, failed('policy', 'digest_not_pinned'), start, proxyRules)
const expired = afterTime(admitted, later(5 * MINUTE), proxyRules)

test.each<[string, Verdict]>([
  ['no verdict', unjudged],
  ['an expired one', expired],
  ['a denial', denied],
  ['an admission', admitted],
])('a check that passes admits after %s', (_, before) => {
  const after = afterCheck(before, passed(leaf), later(MINUTE), proxyRules)
  expect(after).toMatchObject({
    state: 'admitted',
    admission: { certFingerprint: leaf },
    since: later(MINUTE),
  })
})

const refusals: readonly Outcome[] = [
  unfinished('unreachable'),
  failed('fetch', 'not_json'),
  failed('jws', 'signature_invalid'),
  failed('tls-fingerprint', 'leaf_mismatch'),
  failed('policy', 'digest_not_pinned'),
]

test.each<[string, Verdict]>([
  ['no verdict', unjudged],
  ['an expired one', expired],
  ['a denial', denied],
])('after %s any check that does not pass denies, with its stage and reason', (_, before) => {
  for (const outcome of refusals) {
    if (outcome.kind === 'passed') continue
    const { stage, reason } = outcome.ground
    expect(afterCheck(before, outcome, start, upstreamRules)).toMatchObject({
      state: 'denied',
      ground: { stage, reason },
      isSticky: false,
    })
  }
})

test.each<[string, Outcome]>([
  ['an unreachable platform', unfinished('unreachable')],
  ['a slow platform', unfinished('timeout')],
  ['a failed handshake', unfinished('tls_failed')],
  ['a 503 of the platform', unfinished('http_status')],
  ['another certificate on the connection', failed('tls-fingerprint', 'leaf_mismatch')],
  ['an older bundle', failed('jws', 'issued_at_rolled_back')],
])('%s leaves an admission as it is', (_, outcome) => {
  for (const rules of [proxyRules, upstreamRules]) {
    expect(afterCheck(admitted, outcome, later(MINUTE), rules)).toBe(admitted)
  }
})

/** What the answer itself is not tied to the endpoint by. */
const unsigned: [string, Stage, string][] = [
  ['a redirect', 'fetch', 'redirected'],
  ['a 404', 'fetch', 'http_status'],
  ['a portal’s page', 'fetch', 'not_json'],
  ['a bundle that is none', 'fetch', 'malformed_bundle'],
  ['another hostname', 'fetch', 'hostname_mismatch'],
  ['an expired chain', 'cert-chain', 'certificate_expired'],
  ['another root', 'untrusted-root', 'root_not_trusted'],
  ['no hardware', 'untrusted-root', 'quote_missing'],
  ['another measurement', 'untrusted-root', 'measurement_not_listed'],
  ['a forged signature', 'jws', 'signature_invalid'],
  ['another hostname’s signature', 'jws', 'hostname_mismatch'],
  ['another envelope', 'jws', 'envelope_mismatch'],
  ['a stale bundle', 'jws', 'bundle_stale'],
  ['a bundle of tomorrow', 'jws', 'issued_in_future'],
]

/** What the endpoint itself has signed. */
const signed: [string, Stage, string][] = [
  ['a digest that does not match', 'jws', 'digest_mismatch'],
  ['a deployment that is not pinned', 'policy', 'digest_not_pinned'],
  ['a policy that refuses', 'policy', 'policy_refused'],
]

test.each(unsigned)(
  '%s over another certificate leaves an admission as it is, and is told',
  (_, stage, reason) => {
    for (const observed of [digestOf('stranger'), undefined]) {
      const outcome = failed(stage, reason, observed)
      for (const rules of [proxyRules, upstreamRules])
        expect(afterCheck(admitted, outcome, later(MINUTE), rules)).toBe(admitted)
      expect(isForeign(admitted, outcome)).toBe(true)
      for (const other of [unjudged, expired, denied]) expect(isForeign(other, outcome)).toBe(false)
    }
  },
)

test.each([
  ...unsigned.map(
    ([title, ...ground]) => [`${title} over the admitted certificate`, ...ground, leaf] as const,
  ),
  ...signed.map(([title, ...ground]) => [title, ...ground, undefined] as const),
])('%s denies an admitted endpoint, and at the router for good', (_, stage, reason, observed) => {
  const outcome = failed(stage, reason, observed)
  const stickiness = [proxyRules, upstreamRules].map((rules) => {
    const after = afterCheck(admitted, outcome, later(MINUTE), rules)
    return after.state === 'denied' && after.isSticky
  })
  expect(stickiness).toEqual([false, true])
  expect(isForeign(admitted, outcome)).toBe(false)
})

test.each(['collateral_expired', 'collateral_invalid'])(
  '%s of the endpoint itself ends the proxy’s verdict, and leaves an upstream’s to its life, healing by itself',
  (reason) => {
    const outcome = failed('untrusted-root', reason, leaf)
    expect(afterCheck(admitted, outcome, later(MINUTE), proxyRules)).toMatchObject({
      state: 'denied',
      isSticky: false,
    })
    const kept = afterCheck(admitted, outcome, later(MINUTE), upstreamRules)
    expect(kept).toBe(admitted)
    expect(isForeign(admitted, outcome)).toBe(false)
    const over = afterTime(kept, later(10 * MINUTE), upstreamRules)
    expect(over).toMatchObject({ state: 'pending', ground: { reason: 'verdict_expired' } })
    const refused = afterCheck(over, outcome, later(11 * MINUTE), upstreamRules)
    expect(refused).toMatchObject({ state: 'denied', ground: { reason }, isSticky: false })
    expect(afterCheck(refused, passed(leaf), later(12 * MINUTE), upstreamRules).state).toBe('admitted')
  },
)

test('a certificate that is not signed for yet, and a fetch that did not finish, are nobody else’s answer', () => {
  for (const outcome of [
    passed(leaf),
    unfinished('unreachable'),
    failed('tls-fingerprint', 'leaf_mismatch', digestOf('renewed')),
    failed('jws', 'issued_at_rolled_back', digestOf('renewed')),
  ])
    expect(isForeign(admitted, outcome)).toBe(false)
})

test('a verdict lives five minutes and then there is none, which is called verdict_expired', () => {
  expect(afterTime(admitted, later(5 * MINUTE - 1), proxyRules)).toBe(admitted)
  expect(expired).toMatchObject({
    state: 'pending',
    ground: { stage: 'attesting', reason: 'verdict_expired' },
  })
  expect(afterTime(denied, later(60 * MINUTE), proxyRules)).toBe(denied)
})

test('its age is the larger one of the two clocks', () => {
  if (admitted.state !== 'admitted') throw new Error('not admitted')
  const slept = { wallMs: start.wallMs + 6 * MINUTE, monotonicMs: start.monotonicMs + 10 }
  const setBack = { wallMs: start.wallMs - 60 * MINUTE, monotonicMs: start.monotonicMs + 2 * MINUTE }
  expect(afterTime(admitted, slept, proxyRules).state).toBe('pending')
  expect(lifeLeftMs(admitted, setBack, proxyRules)).toBe(3 * MINUTE)
})

test('it is checked again after four minutes, and after 1 to 30 seconds while checks do not pass', () => {
  expect(restMs(0)).toBe(4 * MINUTE)
  expect([1, 2, 3, 4, 5, 6, 7].map(restMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(restMs(5_000)).toBe(30_000)
})

test('the router’s verdict on an upstream lives ten minutes', () => {
  expect(afterTime(admitted, later(10 * MINUTE - 1), upstreamRules)).toBe(admitted)
  expect(afterTime(admitted, later(10 * MINUTE), upstreamRules)).toMatchObject({
    state: 'pending',
    ground: { reason: 'verdict_expired' },
  })
})

const unpinned = new AttestationError('policy', 'digest_not_pinned')
const free = { isDisabled: false, denial: undefined }
const barred = { isDisabled: false, denial: unpinned }
const disabled = afterStanding(unjudged, { isDisabled: true, denial: undefined })
const sticky = afterStanding(unjudged, barred)

test('a pin that is withdrawn denies an admitted endpoint, at the router for good, and no other', () => {
  const ofProxy = afterWithdrawal(admitted, unpinned, proxyRules)
  expect(ofProxy).toEqual({ state: 'denied', ground: unpinned, isSticky: false })
  const ofRouter = afterWithdrawal(admitted, unpinned, upstreamRules)
  expect(ofRouter).toEqual({ state: 'denied', ground: unpinned, isSticky: true })
  for (const other of [unjudged, expired, denied, sticky, disabled])
    expect(afterWithdrawal(other, unpinned, upstreamRules)).toBe(other)
})

test.each<[string, Verdict]>([
  ['disabled', disabled],
  ['denied for good', sticky],
])('while an endpoint is %s no check and no time changes that', (_, verdict) => {
  for (const outcome of [passed(leaf), ...refusals])
    expect(afterCheck(verdict, outcome, later(MINUTE), upstreamRules)).toBe(verdict)
  expect(afterTime(verdict, later(60 * MINUTE), upstreamRules)).toBe(verdict)
})

test.each<[string, Verdict]>([
  ['no verdict', unjudged],
  ['an expired one', expired],
  ['a denial', denied],
  ['a denial for good', sticky],
  ['an admission', admitted],
])('an administrator disables after %s', (_, verdict) => {
  expect(afterStanding(verdict, { isDisabled: true, denial: undefined })).toMatchObject({
    state: 'disabled',
    ground: { stage: 'attesting', reason: 'disabled' },
  })
})

test('another replica’s denial for good holds here too, whatever the state', () => {
  for (const verdict of [unjudged, expired, denied, admitted, disabled])
    expect(afterStanding(verdict, barred)).toEqual({ state: 'denied', ground: unpinned, isSticky: true })
  expect(afterStanding(sticky, barred)).toBe(sticky)
})

test('once an administrator has acted there is no verdict, and checks have their say again', () => {
  for (const verdict of [disabled, sticky]) expect(afterStanding(verdict, free)).toBe(unjudged)
  for (const verdict of [unjudged, expired, denied, admitted])
    expect(afterStanding(verdict, free)).toBe(verdict)
  expect(afterCheck(unjudged, passed(leaf), start, upstreamRules).state).toBe('admitted')
})
