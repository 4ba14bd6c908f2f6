import type { CHash } from '@noble/hashes/utils.js'
import type { PublicKey } from './key.ts'

/** An RSA key, and a signature that is as long as its modulus; undefined where it is not. */
function open({ modulus, asymmetricKeyDetails }: PublicKey, signature: Uint8Array): Uint8Array | undefined {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails
  const length = Math.ceil(modulusLength / 8)
  const number = numberOf(signature)
  if (modulus === undefined || signature.length !== length || number >= modulus) return undefined
  return bytesOf(power(number, publicExponent, modulus), length)
}

/** Whether a signature is one of RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.2); `prefix` is the DER before the hash. */
export function verifyPkcs1(
  key: PublicKey,
  signature: Uint8Array,
  prefix: Uint8Array,
  digest: Uint8Array,
): boolean {
  const encoded = open(key, signature)
  const padding = (encoded?.length ?? 0) - 3 - prefix.length - digest.length
  if (encoded === undefined || padding < 8) return false
  const wanted = [0, 1, ...new Array<number>(padding).fill(0xff), 0, ...prefix, ...digest]
  return wanted.every((byte, index) => byte === encoded[index])
}

/** Whether a signature is one of RSASSA-PSS (RFC 8017, 8.1.2) with this hash for both, and a salt of this length. */
export function verifyPss(
  key: PublicKey,
  signature: Uint8Array,
  hash: CHash,
  digest: Uint8Array,
  saltLength: number,
): boolean {
  const opened = open(key, signature)
  const bits = (key.asymmetricKeyDetails.modulusLength ?? 0) - 1
  const length = Math.ceil(bits / 8)
  // Where the modulus has one bit more than whole bytes, the first byte of what is opened does not belong to it.
  if (opened === undefined || (opened.length > length && opened[0] !== 0)) return false
  const encoded = opened.slice(opened.length - length)
  const size = digest.length
  if (length < size + saltLength + 2 || encoded[length - 1] !== 0xbc) return false
  const masked = encoded.slice(0, length - size - 1)
  const seed = encoded.slice(length - size - 1, length - 1)
  const spare = 8 * length - bits
  if (spare > 0 && (masked[0] ?? 0) >> (8 - spare) !== 0) return false
  const mask = maskOf(hash, seed, masked.length)
  const block = masked.map((byte, index) => byte ^ (mask[index] ?? 0))
  if (spare > 0) block[0] = (block[0] ?? 0) & (0xff >> spare)
  const zeros = block.length - saltLength - 1
  if (zeros < 0 || block.slice(0, zeros).some((byte) => byte !== 0) || block[zeros] !== 1) return false
  const salt = block.slice(zeros + 1)
  const again = hash(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, ...digest, ...salt))
  return again.every((byte, index) => byte === seed[index])
}

/** MGF1 (RFC 8017, B.2.1). */
function maskOf(hash: CHash, seed: Uint8Array, length: number): Uint8Array {
  const bytes: number[] = []
  for (let counter = 0; bytes.length < length; counter++)
    bytes.push(...hash(Uint8Array.of(...seed, counter >>> 24, counter >>> 16, counter >>> 8, counter)))
  return Uint8Array.from(bytes.slice(0, length))
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % modulus)
    if (rest & 1n) result = (result * square) % modulus
  return result
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`)
}

function bytesOf(number: bigint, length: number): Uint8Array {
  const hex = number.toString(16).padStart(length * 2, '0')
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
}
