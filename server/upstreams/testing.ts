import { digestOf } from '#attestation'
import { expectation } from '../../egress/testing/admissions.ts'
import type { Registration } from './registration.ts'

/** The deployment that is approved in these tests. */
export const approved = digestOf('snapshot')

/** A registration that nobody has said anything about yet. */
export function registrationOf(changes: Partial<Registration> = {}): Registration {
  return {
    name: 'vendor',
    id: 'ups_1',
    url: 'https://vendor.example/v1',
    hostname: 'vendor.example',
    roots: expectation.roots,
    attested: undefined,
    apiKey: null,
    pins: [approved],
    standing: { isDisabled: false, denial: undefined },
    deniedAt: null,
    revision: 1n,
    attestationsAsked: 0n,
    admitted: undefined,
    newestIssuedAt: undefined,
    createdAt: new Date('2030-01-01T00:00:00Z'),
    ...changes,
  }
}
