import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJws } from './jws.ts'
import { keysFor } from './testing/chains.ts'
import { goodPayload, signPayload } from './testing/evidence.ts'
import { algorithms } from './testing/keys.ts'

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const refusal = (reason: string) => expect.objectContaining({ stage: 'jws', reason })

test.each(algorithms)('%s gives the payload as it was signed', async (algorithm) => {
  const keys = keysFor('signer', algorithm)
  const payload = await openJws(signPayload({ algorithm }, keys), keys.publicKey)
  expect(JSON.parse(payload.toString())).toEqual(goodPayload())
})

test('ES256K with a high S and with a low S are both accepted', async () => {
  const keys = keysFor('signer', 'ES256K')
  const mirrored = (signature: Buffer) => {
    const s = SECP256K1_ORDER - BigInt(`0x${signature.toString('hex', 32)}`)
    return Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  }
  for (let round = 0; round < 4; round += 1) {
    await openJws(signPayload({ algorithm: 'ES256K' }, keys), keys.publicKey)
    await openJws(signPayload({ algorithm: 'ES256K', signature: mirrored }, keys), keys.publicKey)
  }
})

test.each(algorithms)('a key fits %s alone when it is made for it', async (algorithm) => {
  const others = algorithms.filter((other) => other !== algorithm)
  for (const other of others) {
    const jws = signPayload({ algorithm }, keysFor('signer', algorithm))
    await expect(openJws(jws, keysFor('signer', other).publicKey)).rejects.toThrow(
      refusal('key_algorithm_mismatch'),
    )
  }
})

test.each(algorithms)('%s refuses a signature with any bit changed, cut or drawn out', async (algorithm) => {
  const keys = keysFor('signer', algorithm)
  const signed = signPayload({ algorithm }, keys)
  const signature = Buffer.from(signed.split('.')[2] ?? '', 'base64url')
  await fc.assert(
    fc.asyncProperty(fc.nat(signature.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const flipped = Buffer.from(signature)
      flipped[at] = (signature[at] ?? 0) ^ mask
      const jws = `${signed.slice(0, signed.lastIndexOf('.'))}.${flipped.toString('base64url')}`
      await expect(openJws(jws, keys.publicKey)).rejects.toThrow(refusal('signature_invalid'))
    }),
    { numRuns: 30 },
  )
  for (const change of [(made: Buffer) => made.subarray(1), (made: Buffer) => Buffer.concat([made, made])]) {
    const jws = signPayload({ algorithm, signature: change }, keys)
    await expect(openJws(jws, keys.publicKey)).rejects.toThrow(refusal('signature_invalid'))
  }
})

test('a signature in the DER of certificates is not one of a JWS', async () => {
  const keys = keysFor('signer', 'ES256')
  const r = Buffer.concat([Buffer.from([0x02, 0x20]), Buffer.alloc(32, 1)])
  const jws = signPayload({ signature: () => Buffer.concat([Buffer.from([0x30, 0x44]), r, r]) }, keys)
  await expect(openJws(jws, keys.publicKey)).rejects.toThrow(refusal('signature_invalid'))
})

test.each(['jwk', 'jku', 'x5c', 'kid'])('a %s in the header chooses no key', async (name) => {
  const keys = keysFor('signer')
  const header = { [name]: 'of somebody else' }
  await expect(openJws(signPayload({ header }, keys), keys.publicKey)).resolves.toBeDefined()
})
