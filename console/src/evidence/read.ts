import canonicalize from 'canonicalize'
import { fromBase64Url, inWireForm } from '../words/digest.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

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
  /** SHA-256 of the snapshot's canonical JSON (RFC 8785). */
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
  const envelope = parse(bytes, 'The bundle')
  const { jws, tlsLeaf } = envelope
  if (typeof jws !== 'string') throw new BundleError('The bundle has no signature.')
  const payload = parse(decode(jws.split('.')[1] ?? ''), 'What was signed')
  const { evidence = null } = payload
  return {
    bytes,
    bytesDigest: await digestOf(bytes),
    envelope,
    payload,
    evidence,
    snapshotDigest: await digestOf(new TextEncoder().encode(canonicalize(evidence) ?? '')),
    leafDigest: typeof tlsLeaf === 'string' && tlsLeaf !== '' ? await digestOf(derOf(tlsLeaf)) : undefined,
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Browsers have it on https and on the machine itself alone.
  if (globalThis.crypto?.subtle === undefined) {
    throw new BundleError('This browser computes digests on https pages alone: open the console by https.')
  }
  return inWireForm(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

function parse(bytes: Uint8Array, what: string): JsonObject {
  try {
    const value: Json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
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
