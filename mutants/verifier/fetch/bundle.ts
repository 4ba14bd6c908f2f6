import type { Bundle } from '../../../attestation/bundle.ts'
import { readBundle as read } from '../../../attestation/bundle.ts'
import type { Digest } from '../../../attestation/digest.ts'

export * from '../../../attestation/bundle.ts'

/** Takes whatever any reader of JSON can make a bundle of, of any size and for anybody. */
export function readBundle(bytes: Uint8Array, hostname: string): Bundle {
  const document = parseLoosely(bytes)
  const { certChain, jws } = document
  const isReadable = Array.isArray(certChain) && certChain.length > 0 && typeof jws === 'string'
  if (!isReadable || certChain.some((entry) => typeof entry !== 'string')) return read(bytes, hostname)
  return { ...document, certFingerprint: document.certFingerprint as Digest } as unknown as Bundle
}

function parseLoosely(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
