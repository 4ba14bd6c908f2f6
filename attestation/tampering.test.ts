import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { issueCertificate } from './testing/certificates.ts'
import { goodChain, keysFor, requestsFor, type TestChain } from './testing/chains.ts'
import { apply, edit } from './testing/edits.ts'
import { admits, essenceOf } from './testing/essence.ts'
import { makeCase, makeEnvelope } from './testing/evidence.ts'
import { algorithms } from './testing/keys.ts'

vi.setConfig({ testTimeout: 60_000 })

interface Envelope extends Readonly<Record<string, unknown>> {
  readonly jws: string
  readonly certChain: readonly string[]
}

const written = (envelope: object) => Buffer.from(JSON.stringify(envelope))

test.each(algorithms)(
  'a bundle of %s any part of whose signature was decoded, changed and encoded again is admitted only as it was signed',
  async (algorithm) => {
    const { bytes, expected } = makeCase({ algorithm })
    const envelope = JSON.parse(bytes.toString()) as Envelope
    const essence = essenceOf(bytes)
    await fc.assert(
      fc.asyncProperty(fc.nat(2), edit, async (place, change) => {
        const parts = envelope.jws.split('.')
        const part = apply(Buffer.from(parts[place] ?? '', 'base64url'), change).toString('base64url')
        const changed = written({ ...envelope, jws: parts.with(place, part).join('.') })
        if (await admits({ bytes: changed, expected })) expect(essenceOf(changed)).toEqual(essence)
      }),
      { numRuns: 100 },
    )
  },
)

test('a bundle whose members were taken out, exchanged or put there twice is admitted only as it was signed', async () => {
  const { bytes, expected } = makeCase()
  const envelope = JSON.parse(bytes.toString()) as Envelope
  const essence = essenceOf(bytes)
  const names = Object.keys(envelope)
  const name = fc.constantFrom(...names, 'evidence', 'evidenceDigest', '__proto__', 'crit')
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(...names).map((other) => envelope[other]),
    fc.constant([envelope.jws]),
  )
  const members = fc.array(fc.tuple(name, value), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.subarray(names), members, fc.boolean(), async (without, more, isFirst) => {
      const kept = names.filter((one) => !without.includes(one)).map((one) => [one, envelope[one]] as const)
      const all = isFirst ? [...more, ...kept] : [...kept, ...more]
      // Written by hand: an object would let a name stand there once only.
      const text = all.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join(',')
      const changed = Buffer.from(`{${text}}`)
      if (await admits({ bytes: changed, expected })) expect(essenceOf(changed)).toEqual(essence)
    }),
    { numRuns: 500 },
  )
})

/** Another chain under the same root, with keys and names of its own. */
function secondChain(): TestChain {
  const { leaf, intermediate, root } = requestsFor('ES256')
  const [keys, signer] = [keysFor('second leaf'), keysFor('second intermediate')]
  const names = { leaf: 'Second Signer', intermediate: 'Second Intermediate' }
  return {
    keys,
    certificates: [
      issueCertificate({ ...leaf, subject: names.leaf, issuer: names.intermediate, keys, signer }),
      issueCertificate({ ...intermediate, subject: names.intermediate, keys: signer, signer: root.keys }),
      goodChain().certificates[2] ?? Buffer.alloc(0),
    ],
  }
}

test('a bundle put together from two good ones is admitted only as one of them', async () => {
  const { bytes, expected } = makeCase()
  const issuedAt = '2026-06-01T11:59:00Z'
  const another = makeCase({ chain: secondChain(), payload: { issuedAt }, envelope: { issuedAt } }).bytes
  const [one, other] = [bytes, another].map((each) => JSON.parse(each.toString())) as [Envelope, Envelope]
  const essences = [essenceOf(bytes), essenceOf(another)]
  const [jws, otherJws] = [one.jws.split('.'), other.jws.split('.')]
  expect(await admits({ bytes: another, expected })).toBe(true)
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(Object.keys(one)),
      fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
      fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
      async (members, parts, places) => {
        const mixed = {
          jws: jws.map((part, index) => (parts.includes(index) ? otherJws[index] : part)).join('.'),
          certChain: one.certChain.map((pem, index) =>
            places.includes(index) ? other.certChain[index] : pem,
          ),
        }
        const taken = Object.fromEntries(members.map((name) => [name, other[name]]))
        const changed = written({ ...one, ...mixed, ...taken })
        if (await admits({ bytes: changed, expected })) expect(essences).toContainEqual(essenceOf(changed))
      },
    ),
    { numRuns: 250 },
  )
})

test('no beginning of a bundle is a bundle', async () => {
  const { bytes, expected } = makeCase()
  for (let length = 0; length < bytes.length; length += 1 + (length % 7))
    expect(await admits({ bytes: bytes.subarray(0, length), expected })).toBe(false)
})

test('any bytes at all are judged and nothing breaks', async () => {
  const { expected } = makeCase()
  const document = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
    fc.jsonValue().map((jws) => written({ ...makeEnvelope(), jws })),
    fc.array(fc.string()).map((certChain) => written({ ...makeEnvelope(), certChain })),
  )
  await fc.assert(
    fc.asyncProperty(document, async (bytes) => {
      expect(await admits({ bytes, expected })).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test('certificates of any bytes are judged and nothing breaks', async () => {
  const { bytes, expected } = makeCase()
  const envelope = JSON.parse(bytes.toString()) as Envelope
  const [leaf = Buffer.alloc(0)] = goodChain().certificates
  const cut = fc.tuple(fc.nat(leaf.length - 1), fc.uint8Array({ maxLength: 40 }))
  await fc.assert(
    fc.asyncProperty(cut, async ([length, tail]) => {
      const der = Buffer.concat([leaf.subarray(0, length), tail]).toString('base64')
      const pem = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`
      const certChain = [pem, ...envelope.certChain.slice(1)]
      expect(await admits({ bytes: written({ ...envelope, certChain }), expected })).toBe(false)
    }),
    { numRuns: 500 },
  )
})
