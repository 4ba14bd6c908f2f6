import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import type { CHash } from '@noble/hashes/utils.js'
import { around, Members, membersOf, type Value } from '../../../attestation/der-value.ts'
import type { PublicKey } from './key.ts'
import { verifyPkcs1, verifyPss } from './rsa.ts'

/** A hash, and its identifier in hex. Weak ones are there to be told apart from wrong signatures. */
const hashes: ReadonlyMap<string, CHash> = new Map([
  ['2a864886f70d0205', md5],
  ['2b0e03021a', sha1],
  ['608648016503040204', sha224],
  ['608648016503040201', sha256],
  ['608648016503040202', sha384],
  ['608648016503040203', sha512],
])

const RSA_PSS = '2a864886f70d01010a'

/** Algorithms of RSASSA-PKCS1-v1_5 and ECDSA, with the identifier of their hash. */
const pkcs1: ReadonlyMap<string, string> = new Map([
  ['2a864886f70d010104', '2a864886f70d0205'],
  ['2a864886f70d010105', '2b0e03021a'],
  ['2a864886f70d01010e', '608648016503040204'],
  ['2a864886f70d01010b', '608648016503040201'],
  ['2a864886f70d01010c', '608648016503040202'],
  ['2a864886f70d01010d', '608648016503040203'],
])
const ecdsa: ReadonlyMap<string, string> = new Map([
  ['2a8648ce3d0401', '2b0e03021a'],
  ['2a8648ce3d040301', '608648016503040204'],
  ['2a8648ce3d040302', '608648016503040201'],
  ['2a8648ce3d040303', '608648016503040202'],
  ['2a8648ce3d040304', '608648016503040203'],
])
const edwards: ReadonlyMap<string, string> = new Map([
  ['2b6570', 'ed25519'],
  ['2b6571', 'ed448'],
])

/** The salt of PSS where the parameters name none. */
const DEFAULT_SALT = 20

/** Whether a key of a fitting kind made a signature by the algorithm that its AlgorithmIdentifier names. */
export function isSignature(
  algorithm: Value,
  key: PublicKey,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  const [named, parameters] = membersOf(algorithm)
  const oid = named!.content.toString('hex')
  const type = key.asymmetricKeyType
  if (oid === RSA_PSS) return type.startsWith('rsa') && isPss(parameters, key, signed, signature)
  const rsa = pkcs1.get(oid)
  if (rsa !== undefined)
    return type === 'rsa' && verifyPkcs1(key, signature, prefixOf(rsa), hashes.get(rsa)!(signed))
  const ec = ecdsa.get(oid)
  if (ec !== undefined) {
    const options = { prehash: false, lowS: false, format: 'der' }
    return type === 'ec' && key.curve!.verify(signature, hashes.get(ec)!(signed), key.point!, options)
  }
  // As OpenSSL has it: exactly the encodings of RFC 8032.
  return edwards.get(oid) === type && key.curve!.verify(signature, signed, key.point!, { zip215: false })
}

/** What stands before a hash in a signature of PKCS #1: its identifier, and how long it is. */
function prefixOf(hash: string): Uint8Array {
  const oid = hash.match(/../g)!.map((pair) => Number.parseInt(pair, 16))
  const length = hashes.get(hash)!.outputLen
  const algorithm = [0x30, oid.length + 4, 0x06, oid.length, ...oid, 0x05, 0x00]
  return Uint8Array.of(0x30, algorithm.length + 2 + length, ...algorithm, 0x04, length)
}

/** Reads the parameters of PSS (RFC 4055, 3.1); another hash for the mask than for the text is no signature here. */
function isPss(
  parameters: Value | undefined,
  key: PublicKey,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  const members = new Members(parameters)
  const hash = hashOf(within(members.take(around(0))))
  const mask = within(members.take(around(1)))
  const salt = within(members.take(around(2)))
  const trailer = within(members.take(around(3)))
  members.end()
  if (hash === undefined || hashOf(mask && membersOf(mask)[1]) !== hash) return false
  if (trailer !== undefined && trailer.content.toString('hex') !== '01') return false
  const saltLength = salt === undefined ? DEFAULT_SALT : Number(`0x${salt.content.toString('hex')}`)
  return verifyPss(key, signature, hash, hash(signed), saltLength)
}

/** The one value that a mark is around. */
function within(marked: Value | undefined): Value | undefined {
  return marked && membersOf(marked)[0]
}

/** The hash that an AlgorithmIdentifier names; SHA-1 where none is named. */
function hashOf(algorithm: Value | undefined): CHash | undefined {
  return algorithm === undefined ? sha1 : hashes.get(membersOf(algorithm)[0]?.content.toString('hex') ?? '')
}
