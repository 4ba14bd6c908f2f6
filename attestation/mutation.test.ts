import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { toPem } from './testing/certificates.ts'
import { goodChain, makeChain } from './testing/chains.ts'
import { apply, edit } from './testing/edits.ts'
import { admits, essenceOf } from './testing/essence.ts'
import { type Changes, makeCase } from './testing/evidence.ts'
import { algorithms } from './testing/keys.ts'

vi.setConfig({ testTimeout: 60_000 })

test.each(algorithms)(
  'a bundle of %s with any bytes changed is admitted only if it still says and proves the same',
  async (algorithm) => {
    const { bytes, expected } = makeCase({ algorithm })
    const essence = essenceOf(bytes)
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
        const changed = edits.reduce<Buffer>(apply, Buffer.from(bytes))
        if (await admits({ bytes: changed, expected })) expect(essenceOf(changed)).toEqual(essence)
      }),
      { numRuns: 150 },
    )
  },
)

test.each(algorithms)(
  'a chain of %s with any byte of a certificate changed is never admitted',
  async (algorithm) => {
    const { bytes, expected } = makeCase({ algorithm })
    const { certificates } = goodChain(algorithm)
    await fc.assert(
      fc.asyncProperty(fc.nat(2), edit, async (place, change) => {
        const chain = certificates.map((der, index) => (index === place ? apply(der, change) : der))
        fc.pre(!chain.every((der, index) => der.equals(certificates[index] ?? der)))
        const envelope = { ...JSON.parse(bytes.toString()), certChain: chain.map(toPem) }
        expect(await admits({ bytes: Buffer.from(JSON.stringify(envelope)), expected })).toBe(false)
      }),
      { numRuns: 150 },
    )
  },
)

test('whatever an authority puts into its extensions, a bundle is judged and nothing breaks', async () => {
  const oid = fc.constantFrom('2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.30', '1.3.6.1.3.8888.1')
  const tlv = fc
    .tuple(fc.constantFrom(0x30, 0x03, 0x82, 0xa0, 0x01), fc.uint8Array({ maxLength: 40 }))
    .map(([tag, body]) => [tag, body.length, ...body])
  const extension = fc.record({
    oid,
    critical: fc.boolean(),
    content: tlv.map((bytes) => Buffer.from(bytes)),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('leaf', 'intermediate', 'root'),
      fc.array(extension),
      async (place, extensions) => {
        await admits(makeCase({ chain: makeChain({ [place]: { extensions } }) }))
      },
    ),
    { numRuns: 300 },
  )
})

test('whatever is signed, it is judged and nothing breaks', async () => {
  const members = fc.dictionary(
    fc.constantFrom(
      'version',
      'kind',
      'hostname',
      'issuedAt',
      'certFingerprint',
      'evidenceDigest',
      'evidence',
    ),
    fc.jsonValue(),
  )
  const changes: fc.Arbitrary<Changes> = fc.oneof(
    members.map((payload) => ({ payload })),
    fc.uint8Array().map((payloadText) => ({ payloadText })),
    members.map((envelope) => ({ envelope })),
    fc.dictionary(fc.constantFrom('alg', 'crit', 'b64', 'typ'), fc.jsonValue()).map((header) => ({ header })),
  )
  await fc.assert(
    fc.asyncProperty(changes, async (made) => void (await admits(makeCase(made)))),
    { numRuns: 300 },
  )
})
