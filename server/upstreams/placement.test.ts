import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { unjudged, type Verdict } from '#egress/verdict/verdict.ts'
import { admissionOf, basis } from '../../egress/testing/admissions.ts'
import type { UpstreamModelConfig } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import { createShelf } from '../publication/shelf.ts'
import { placeRequest } from './placement.ts'
import { registrationOf } from './testing.ts'
import type { Admittance, Upstream } from './upstream.ts'

const model = { id: 'vendor/large', upstream: { name: 'vendor', model: 'large', usage: 'final' } }
const since = { wallMs: 0, monotonicMs: 0 }
const admitted: Verdict = { state: 'admitted', since, basis, admission: admissionOf(digestOf('leaf')) }

/** Places a request; its wait for the first verdict ends in `verdict`, under which it may go or not. */
function place(verdict: Verdict, admittance: Admittance | undefined, authorize = async () => {}) {
  const attestor = { verdict: unjudged as Verdict, look: () => unjudged, awaitVerdict: async () => {} }
  const upstream = { attestor, admittance: undefined as Admittance | undefined }
  attestor.awaitVerdict = async () => {
    attestor.verdict = verdict
    upstream.admittance = admittance
  }
  const found = { ...upstream, registration: registrationOf(), apiKey: undefined }
  Object.defineProperty(found, 'admittance', { get: () => upstream.admittance })
  const upstreams = { find: () => found as unknown as Upstream }
  const dependencies = { shelf: createShelf(), upstreams }
  return placeRequest(model as unknown as UpstreamModelConfig, dependencies, authorize)
}

test('a request that waited for the first verdict goes under it', async () => {
  const term = new AbortController().signal
  const { passage } = await place(admitted, { verdict: admitted, term })
  expect(passage?.signal).toBe(term)
})

test('an upstream that was registered anew while a request waited takes it no more', async () => {
  const refusal = (await place(admitted, undefined).catch((error: unknown) => error)) as ApiError
  expect(refusal).toBeInstanceOf(ApiError)
  expect([refusal.code, refusal.verdict]).toEqual([
    'attestation_failed',
    { stage: 'upstream-attesting', reason: 'verdict_pending' },
  ])
  expect(refusal.headers).toEqual({ 'Retry-After': '1', 'x-should-retry': 'true' })
})

test('only a caller who may use the model waits, and learns of the verdict', async () => {
  const refused = place(admitted, undefined, () => Promise.reject(new Error('not yours')))
  await expect(refused).rejects.toThrow('not yours')
})
