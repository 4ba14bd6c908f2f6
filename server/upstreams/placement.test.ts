import { expect, test } from 'vitest'
import { AttestationError, digestOf } from '#attestation'
import type { AttestedEndpoint } from '#egress/endpoint.ts'
import { Refused } from '#egress/refused.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import { admissionOf, basis } from '../../egress/testing/admissions.ts'
import type { UpstreamModelConfig } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import { createShelf } from '../publication/shelf.ts'
import { placeRequest } from './placement.ts'
import { registrationOf } from './testing.ts'
import type { Upstream } from './upstream.ts'

const model = { id: 'vendor/large', upstream: { name: 'vendor', model: 'large', usage: 'final' } }
const since = { wallMs: 0, monotonicMs: 0 }
const admitted: Admitted = { state: 'admitted', since, basis, admission: admissionOf(digestOf('leaf')) }

/** Places a request, which waits for the first verdict. */
async function place(
  awaitAdmittance: AttestedEndpoint['awaitAdmittance'],
  authorize: () => Promise<unknown> = async () => {},
) {
  const endpoint = { now: since, admit: () => undefined, awaitAdmittance }
  const upstream = { endpoint, registration: registrationOf(), apiKey: undefined } as unknown as Upstream
  const dependencies = { shelf: createShelf(), upstreams: { find: () => upstream } }
  return placeRequest(model as unknown as UpstreamModelConfig, dependencies, authorize)
}

async function refusalBy(ground: AttestationError): Promise<ApiError> {
  const refused = place(() => Promise.reject(new Refused('attestation_failed', ground)))
  return (await refused.catch((error: unknown) => error)) as ApiError
}

test('a request that waited for the first verdict goes under it', async () => {
  const term = new AbortController().signal
  const { passage } = await place(async () => ({ verdict: admitted, term }))
  expect(passage?.signal).toBe(term)
})

test('one that waited in vain is told why, and whether to try again', async () => {
  const refusal = await refusalBy(new AttestationError('attesting', 'verdict_pending'))
  expect(refusal).toBeInstanceOf(ApiError)
  expect([refusal.code, refusal.verdict]).toEqual([
    'attestation_failed',
    { stage: 'upstream-attesting', reason: 'verdict_pending' },
  ])
  expect(refusal.headers).toEqual({ 'Retry-After': '1', 'x-should-retry': 'true' })
})

test('the model of an upstream that was disabled meanwhile is not there', async () => {
  const refusal = await refusalBy(new AttestationError('attesting', 'disabled'))
  expect([refusal.status, refusal.code]).toEqual([404, 'model_not_found'])
})

test('only a caller who may use the model waits, and learns of the verdict', async () => {
  const mayNot = () => Promise.reject(new Error('not yours'))
  const refused = place(() => expect.unreachable('It waits.'), mayNot)
  await expect(refused).rejects.toThrow('not yours')
})
