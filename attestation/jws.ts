import { type KeyObject, verify } from 'node:crypto'
import { compactVerify } from 'jose/jws/compact/verify'
import { limits } from '#contract/limits'
import { AttestationError, readOrRefuse } from './errors.ts'
import { parseJson } from './json.ts'
import { isObject, type JsonObject } from './json-value.ts'

/** Says whether a signature over the signing input is by a key. */
type Verifier = (jws: CompactJws, key: KeyObject) => boolean | Promise<boolean>

/** A compact JWS, taken apart. */
interface CompactJws {
  readonly text: string
  readonly header: JsonObject
  /** What is signed: the first two parts as they stand. */
  readonly input: string
  readonly payload: Buffer
  readonly signature: Buffer
}

/** The accepted algorithms, each with the only kind of key that it fits (VRFY-14). */
const algorithms: ReadonlyMap<unknown, { readonly key: string; readonly verifier: Verifier }> = new Map([
  ['RS256', { key: 'rsa', verifier: verifyWithJose }],
  ['ES256', { key: 'ec prime256v1', verifier: verifyWithJose }],
  ['ES384', { key: 'ec secp384r1', verifier: verifyWithJose }],
  ['EdDSA', { key: 'ed25519', verifier: verifyWithJose }],
  ['ES256K', { key: 'ec secp256k1', verifier: verifyES256K }],
])

const ES256K_SIGNATURE_BYTES = 64
const PARTS = 3

/**
 * Gives the payload of a compact JWS that the key signed; nothing in its header chooses the key. Refuses (`jws`) what
 * is none (`jws_malformed`), another algorithm or a key that does not fit it (`algorithm_not_allowed`,
 * `key_algorithm_mismatch`), any `crit` header (`critical_header`) and a wrong signature (`signature_invalid`)
 * (VRFY-14).
 */
export async function openJws(text: string, key: KeyObject): Promise<Buffer> {
  const jws = readOrRefuse('jws', 'jws_malformed', () => parseCompact(text))
  const algorithm = algorithms.get(jws.header.alg)
  if (!algorithm) throw new AttestationError('jws', 'algorithm_not_allowed')
  if (algorithm.key !== kindOf(key)) throw new AttestationError('jws', 'key_algorithm_mismatch')
  if ('crit' in jws.header) throw new AttestationError('jws', 'critical_header')
  if (!(await algorithm.verifier(jws, key))) throw new AttestationError('jws', 'signature_invalid')
  return jws.payload
}

/** Takes a compact JWS apart and verifies nothing. Throws a `TypeError` or a `JsonError` when it is none. */
export function parseCompact(text: string): CompactJws {
  // One part more than there may be: a text of nothing but dots is not taken apart a million times.
  const parts = text.split('.', PARTS + 1)
  const [header, payload, signature] = parts.map(decodeBase64url)
  const { value } = parseJson(header ?? Buffer.alloc(0), limits.maxEnvelopeParts)
  if (parts.length !== PARTS || !payload || !signature || !isObject(value) || typeof value.alg !== 'string')
    throw new TypeError('This is not a compact JWS.')
  return { text, header: value, input: text.slice(0, text.lastIndexOf('.')), payload, signature }
}

function decodeBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  // Padding, foreign characters and stray last bits would spell the same bytes a second time.
  if (bytes.toString('base64url') !== text) throw new TypeError('This is not base64url in its one spelling.')
  return bytes
}

function kindOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  return type === 'ec' ? `ec ${details?.namedCurve}` : String(type)
}

async function verifyWithJose({ text, header }: CompactJws, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [String(header.alg)] })
    return true
  } catch {
    return false
  }
}

/** jose has no ES256K. Signatures with a high S are accepted: RFC 8812 does not forbid them. */
function verifyES256K({ input, signature }: CompactJws, key: KeyObject): boolean {
  if (signature.length !== ES256K_SIGNATURE_BYTES) return false
  return verify('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, signature)
}
