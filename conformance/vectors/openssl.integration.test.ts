// @module-tag openssl

import { expect, test } from 'vitest'
import type { Vector } from '#contract/models'
import { readCorpus } from './corpus.ts'
import { askOpenssl, type ChainQuestion, chainQuestionOf } from './testing/openssl.ts'

/** Why OpenSSL may say otherwise than the contract; it is asked about chains alone, and has no other way to ask. */
const differences: Readonly<Record<string, readonly string[]>> = {
  'It takes the first certificate that it finds in a file and passes over what else stands there.': [
    'cert-chain/two-in-one-entry',
    'cert-chain/text-before',
    'cert-chain/text-behind',
    'cert-chain/entry-with-another-label',
    'cert-chain/base64-with-stray-bits',
    'cert-chain/byte-behind-the-leaf',
    'cert-chain/certificate-behind-the-root',
  ],
  'It reads BER where DER is asked for, and every value but 0 as true.': [
    'cert-chain/endless-length',
    'cert-chain/long-length',
    'cert-chain/odd-truth',
  ],
  'It looks for a path among certificates; here the chain is given and holds as it stands or not at all.': [
    'cert-chain/out-of-order',
    'cert-chain/intermediate-twice',
    'cert-chain/stranger-between',
  ],
  'It knows a root by name and key; here by the SHA-256 of its DER.': ['untrusted-root/renewed-root'],
  'It does not judge how a trusted root is signed.': ['cert-chain/sha-1-root'],
  'It takes curves of 224 bits for strong enough.': ['cert-chain/short-curve'],
  'It takes the common name for a hostname where there is no DNS name.': [
    'cert-chain/hostname-as-common-name',
  ],
  'It counts the last second of a validity out (RFC 5280, 4.1.2.5, counts it in).': [
    'cert-chain/last-second',
  ],
  'Its strict mode asks authorities for a key usage, which RFC 5280 does not ask verifiers to ask for.': [
    'cert-chain/no-key-usage',
  ],
  'It does not know the platforms’ extensions.': [
    'cert-chain/tee-extension-1337',
    'cert-chain/tee-extension-8888',
  ],
  'It wants a PEM at the beginning of its line.': ['cert-chain/pem-with-white-space-around'],
  'It has bounds of its own, and they are wider.': [
    'cert-chain/certificate-beyond-64-kib',
    'cert-chain/nine-certificates',
    'cert-chain/one-constraint-too-many',
    'cert-chain/one-extension-too-many',
    'cert-chain/one-name-too-many',
    'cert-chain/one-name-too-many-above',
    'cert-chain/rsa-8193',
    'cert-chain/rsa-with-a-large-exponent',
  ],
  'It compares names of more kinds, and does not ask what a wildcard may stand for.': [
    'cert-chain/excluded-of-a-form-that-nobody-reads',
    'cert-chain/uri-excluded',
    'cert-chain/wildcard-reaches-what-is-excluded',
  ],
  'It takes RSA of 2047 bits for strong enough.': ['cert-chain/rsa-2047'],
  'It has no exemption from hostnames.': ['cert-chain/nameless-under-exempt-root'],
}
const explained = Object.values(differences).flat()

const vectors = readCorpus()
const asked = new Map<string, { readonly vector: Vector; readonly question: ChainQuestion }>()
for (const vector of vectors) {
  const question = vector.expected.stage === 'fetch' ? undefined : chainQuestionOf(vector)
  // Most vectors of the later stages stand on the same chain.
  if (question) asked.set(isChainRefused(vector) ? vector.id : JSON.stringify(question), { vector, question })
}

/** What is demanded of hardware is nothing that a chain shows. */
function isChainRefused({ expected: { stage, reason } }: Vector): boolean {
  return stage === 'cert-chain' || reason === 'root_not_trusted' || reason === 'no_trusted_roots'
}

test('openssl verify -x509_strict agrees about every chain, but where it is said why not', async () => {
  const open = [...asked.values()]
  const unexplained: string[] = []
  const tally = { accepts: 0, refuses: 0 }
  const work = async () => {
    for (let next = open.pop(); next; next = open.pop()) {
      const { vector, question } = next
      const said = await askOpenssl(question)
      tally[said === 'OK' ? 'accepts' : 'refuses'] += 1
      const isSame = (said === 'OK') === !isChainRefused(vector)
      if (!isSame && !explained.includes(vector.id)) unexplained.push(`${vector.id}: ${said}`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  expect(unexplained).toEqual([])
  expect(tally.accepts).toBeGreaterThan(40)
  expect(tally.refuses).toBeGreaterThan(60)
})

test('every chain that is said to differ is there', () => {
  const ids = new Set(vectors.map(({ id }) => id))
  expect(explained.filter((id) => !ids.has(id))).toEqual([])
})
