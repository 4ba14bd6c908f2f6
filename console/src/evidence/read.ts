import canonicalize from 'canonicalize'
import { fromBase64Url, inWireForm } from '../words/digest.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { spellingOf } from './spelling.ts'

/** A published bundle, with everything about it that was computed anew. */
export interface ReadBundle {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes as they came. */
  readonly bytesDigest: string
  readonly envelope: JsonObject
  /** What the signature is over; its values count, not the envelope's copies. */
  readonly payload: JsonObject
  /** The snapshot of the deployment. */
  readonly evidence: Json
  /**
   * SHA-256 of the snapshot: of its canonical JSON (RFC 8785), or of its own text without insignificant white space
   * where that is the one that was signed (BNDL-23).
   */
  readonly snapshotDigest: string
  /** SHA-256 of the TLS certificate that the bundle brings along; undefined where it brings none. */
  readonly leafDigest: string | undefined
}

/** What a bundle is not read for: it is no JSON, or has no payload to be read. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
}

/** Reads a bundle and computes its digests, here and now; nothing that it says of itself is taken for them. */
export async function readBundle(bytes: Uint8Array<ArrayBuffer>): Promise<ReadBundle> {
  const envelope = parse(textOf(bytes), 'The bundle')
  const { jws, tlsLeaf } = envelope
  if (typeof jws !== 'string') throw new BundleError('The bundle has no signature.')
  const signed = textOf(decode(jws.split('.')[1] ?? ''))
  const payload = parse(signed, 'What was signed')
  const { evidence = null } = payload
  return {
    bytes,
    bytesDigest: await digestOf(bytes),
    envelope,
    payload,
    evidence,
    snapshotDigest: await digestSnapshot(payload, signed),
    leafDigest: typeof tlsLeaf === 'string' && tlsLeaf !== '' ? await digestOf(derOf(tlsLeaf)) : undefined,
  }
}

async function digestSnapshot(payload: JsonObject, text: string): Promise<string> {
  const { evidence = null, evidenceDigest } = payload
  const canonical = await digestOf(new TextEncoder().encode(canonicalOf(evidence)))
  if (canonical === evidenceDigest) return canonical
  const spelling = spellingOf(text, 'evidence', evidence)
  const spelled = spelling === undefined ? canonical : await digestOf(new TextEncoder().encode(spelling))
  return spelled === evidenceDigest ? spelled : canonical
}

function canonicalOf(evidence: Json): string {
  try {
    return canonicalize(evidence) ?? ''
  } catch {
    throw new BundleError('The snapshot has a number that no reader can hold.')
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Browsers have it on https and on the machine itself alone.
  if (globalThis.crypto?.subtle === undefined) {
    throw new BundleError('This browser computes digests on https pages alone: open the console by https.')
  }
  return inWireForm(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Bytes as text; an empty one, which is no JSON, where they are no UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}

function parse(text: string, what: string): JsonObject {
  try {
    const value: Json = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  throw new BundleError(`${what} is no JSON object.`)
}

function decode(text: string): Uint8Array {
  try {
    return fromBase64Url(text)
  } catch {
    throw new BundleError('The signature is not in its form.')
  }
}

/** A certificate's own bytes, from PEM or bare base64. */
function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const base64 = pem.replace(/-----[^-]+-----/g, '').replace(/\s/g, '')
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    throw new BundleError('The certificate of the bundle is not in its form.')
  }
}
