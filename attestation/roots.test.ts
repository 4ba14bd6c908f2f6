import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'
import { parseRoots } from './roots.ts'
import { toPem } from './testing/certificates.ts'
import { goodChain, makeChain } from './testing/chains.ts'
import { makeCase } from './testing/evidence.ts'
import { verifyBundle } from './verify.ts'

const pems = goodChain().certificates.map(toPem)

test('a file of roots gives each with its fingerprint, and the leaf’s name is asked for', () => {
  const [, issuer = Buffer.alloc(0), root = Buffer.alloc(0)] = goodChain().certificates
  expect(parseRoots(`# Ours\n${pems[1]}\n${pems[2]}`)).toEqual([
    { der: issuer, fingerprint: digestOf(issuer), requireLeafName: true },
    { der: root, fingerprint: digestOf(root), requireLeafName: true },
  ])
})

test.each([
  ['nothing', ''],
  ['another kind of file', 'root: x'],
  ['a certificate that is cut short', pems[0]?.replace(/\n[^\n]+\n[^\n]+\n-----END/, '\n-----END') ?? ''],
])('a file of %s is refused', (_, text) => {
  expect(() => parseRoots(text)).toThrow()
})

test('a leaf without a name passes under a root that says so, and under no other', async () => {
  const chain = makeChain({ leaf: { extensions: [] } })
  const root = toPem(chain.certificates[2] ?? Buffer.alloc(0))
  const nameless = makeCase({
    chain,
    expected: { roots: parseRoots(root, { requireLeafName: false }) },
  })
  await expect(verifyBundle(nameless.bytes, nameless.expected)).resolves.toBeDefined()
  const others = parseRoots(pems[2] ?? '', { requireLeafName: false })
  const roots = [...others, ...parseRoots(root)]
  await expect(verifyBundle(nameless.bytes, { ...nameless.expected, roots })).rejects.toMatchObject({
    stage: 'cert-chain',
    reason: 'leaf_name_mismatch',
  })
})

test('a certificate in the middle of the chain is no root, even when it is trusted', async () => {
  const { bytes, expected } = makeCase({ expected: { roots: parseRoots(pems[1] ?? '') } })
  await expect(verifyBundle(bytes, expected)).rejects.toMatchObject({
    stage: 'untrusted-root',
    reason: 'root_not_trusted',
  })
})
