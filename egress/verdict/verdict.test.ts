import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import type { Moment } from '../clock.ts'
import type { Outcome } from '../evidence/attest.ts'
import { failed, passed, unfinished } from '../testing/admissions.ts'
import { afterCheck, afterTime, lifeLeftMs, restMs, unjudged, type Verdict } from './verdict.ts'

const MINUTE = 60_000
const start: Moment = { wallMs: 1_000_000, monotonicMs: 500 }
const leaf = digestOf('leaf')

function later(ms: number): Moment {
  return { wallMs: start.wallMs + ms, monotonicMs: start.monotonicMs + ms }
}

const admitted = afterCheck(unjudged, passed(leaf), start)
const denied = afterCheck(unjudged, failed('policy', 'digest_not_pinned'), start)
const expired = afterTime(admitted, later(5 * MINUTE))

test.each<[string, Verdict]>([
  ['no verdict', unjudged],
  ['an expired one', expired],
  ['a denial', denied],
  ['an admission', admitted],
])('a check that passes admits after %s', (_, before) => {
  const after = afterCheck(before, passed(leaf), later(MINUTE))
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
    expect(afterCheck(before, outcome, start)).toMatchObject({ state: 'denied', ground: { stage, reason } })
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
  expect(afterCheck(admitted, outcome, later(MINUTE))).toBe(admitted)
})

test.each<[string, Outcome]>([
  ['a redirect', failed('fetch', 'redirected')],
  ['a 404', failed('fetch', 'http_status')],
  ['another hostname', failed('fetch', 'hostname_mismatch')],
  ['an expired chain', failed('cert-chain', 'certificate_expired')],
  ['another root', failed('untrusted-root', 'root_not_trusted')],
  ['a stale bundle', failed('jws', 'bundle_stale')],
  ['a deployment that is not pinned', failed('policy', 'digest_not_pinned')],
])('%s denies an admitted endpoint', (_, outcome) => {
  expect(afterCheck(admitted, outcome, later(MINUTE)).state).toBe('denied')
})

test('a verdict lives five minutes and then there is none, which is called verdict_expired', () => {
  expect(afterTime(admitted, later(5 * MINUTE - 1))).toBe(admitted)
  expect(expired).toMatchObject({
    state: 'pending',
    ground: { stage: 'attesting', reason: 'verdict_expired' },
  })
  expect(afterTime(denied, later(60 * MINUTE))).toBe(denied)
})

test('its age is the larger one of the two clocks', () => {
  if (admitted.state !== 'admitted') throw new Error('not admitted')
  const slept = { wallMs: start.wallMs + 6 * MINUTE, monotonicMs: start.monotonicMs + 10 }
  const setBack = { wallMs: start.wallMs - 60 * MINUTE, monotonicMs: start.monotonicMs + 2 * MINUTE }
  expect(afterTime(admitted, slept).state).toBe('pending')
  expect(lifeLeftMs(admitted, setBack)).toBe(3 * MINUTE)
})

test('it is checked again after four minutes, and after 1 to 30 seconds while checks do not pass', () => {
  expect(restMs(0)).toBe(4 * MINUTE)
  expect([1, 2, 3, 4, 5, 6, 7].map(restMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(restMs(5_000)).toBe(30_000)
})
