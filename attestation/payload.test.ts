import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'
import { inspectBundle } from './inspect.ts'
import { makeCase } from './testing/evidence.ts'
import { verifyBundle } from './verify.ts'

test.each([
  [1, '1'],
  ['1', 1],
  ['1', '1'],
])('version %o in the envelope and %o in what was signed are equal', async (envelope, signed) => {
  const { bytes, expected } = makeCase({ envelope: { version: envelope }, payload: { version: signed } })
  await expect(verifyBundle(bytes, expected)).resolves.toBeDefined()
})

test('unknown members are passed over in the envelope and in what was signed', async () => {
  const { bytes, expected } = makeCase({ envelope: { more: [1] }, payload: { more: { deep: true } } })
  await expect(verifyBundle(bytes, expected)).resolves.toBeDefined()
})

test.each(['tlsLeaf', 'rootCaTeeQuote'])('a bundle without %s is admitted', async (member) => {
  const { bytes, expected } = makeCase({ envelope: { [member]: undefined } })
  await expect(verifyBundle(bytes, expected)).resolves.toBeDefined()
})

const anyForm = fc.anything({
  values: [fc.constant(null), fc.boolean(), fc.integer(), fc.string()],
  maxDepth: 3,
})

test('a rootCaTeeQuote of any form is passed over, by verdicts and by those who only read', async () => {
  await fc.assert(
    fc.asyncProperty(anyForm, async (rootCaTeeQuote) => {
      const { bytes, expected } = makeCase({ envelope: { rootCaTeeQuote } })
      await expect(verifyBundle(bytes, expected)).resolves.toBeDefined()
      expect(inspectBundle(bytes).bundle.hostname).toBe(expected.hostname)
    }),
    { numRuns: 50 },
  )
})

test('the hostname that was asked may differ in letter case', async () => {
  const { bytes, expected } = makeCase({ expected: { hostname: 'Router.EXAMPLE' } })
  await expect(verifyBundle(bytes, expected)).resolves.toMatchObject({ hostname: 'router.example' })
})

test('a bundle of exactly 1 MiB is read', async () => {
  const { bytes, expected } = makeCase()
  const padded = Buffer.concat([bytes, Buffer.alloc(1_048_576 - bytes.byteLength, ' ')])
  await expect(verifyBundle(padded, expected)).resolves.toBeDefined()
})

test('the snapshot is opaque: whatever it says of itself, it is admitted by its digest', async () => {
  const evidenceDigest = digestOf('{"resources":"none","version":"2"}')
  const { bytes, expected } = makeCase({
    payload: { evidence: { version: '2', resources: 'none' }, evidenceDigest },
    expected: { pins: [evidenceDigest] },
  })
  await expect(verifyBundle(bytes, expected)).resolves.toMatchObject({ digest: evidenceDigest })
})
