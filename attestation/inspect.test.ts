import { expect, test } from 'vitest'
import { inspectBundle } from './inspect.ts'
import { keysFor } from './testing/chains.ts'
import { goodPayload, makeBundle, SNAPSHOT, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from './testing/evidence.ts'
import { fetchRefusals } from './testing/refusals/fetch.ts'

test('a bundle says what it says, whoever signed it', () => {
  const bytes = makeBundle({ chain: { certificates: [Buffer.from('x')], keys: keysFor('stranger') } })
  expect(inspectBundle(bytes)).toMatchObject({
    payload: {
      evidence: SNAPSHOT,
      evidenceDigest: SNAPSHOT_DIGEST,
      certFingerprint: TLS_FINGERPRINT,
      hostname: goodPayload().hostname,
    },
    issuedAt: new Date('2026-06-01T11:58:30.250Z'),
  })
})

test('a bundle that is none is refused as when it is judged', () => {
  const bytes = fetchRefusals.not_json?.['a page']?.() as Uint8Array
  expect(() => inspectBundle(bytes)).toThrow(expect.objectContaining({ stage: 'fetch', reason: 'not_json' }))
  expect(() => inspectBundle(makeBundle({ envelope: { jws: 'x' } }))).toThrow(
    expect.objectContaining({ stage: 'jws', reason: 'jws_malformed' }),
  )
})
