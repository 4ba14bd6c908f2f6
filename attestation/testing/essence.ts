import { AttestationError, inspectBundle, type Payload, verifyBundle } from '../index.ts'
import { parsePem } from '../pem.ts'
import type { makeCase } from './evidence.ts'

/** What of a bundle may not differ: what was signed, byte by byte, and the certificates that say by whom. */
export interface Essence {
  readonly payload: Payload
  readonly signed: string
  readonly chain: readonly string[]
}

/** Reads it; throws for what is no bundle. */
export function essenceOf(bytes: Uint8Array): Essence {
  const { bundle, payload } = inspectBundle(bytes)
  const [, signed = ''] = bundle.jws.split('.')
  return { payload, signed, chain: bundle.certChain.map((pem) => parsePem(pem).toString('hex')) }
}

/** Whether a bundle is admitted; whatever is not a refusal of the catalogue is thrown on: nothing may break. */
export async function admits({ bytes, expected }: ReturnType<typeof makeCase>): Promise<boolean> {
  try {
    await verifyBundle(bytes, expected)
    return true
  } catch (error) {
    if (error instanceof AttestationError) return false
    throw error
  }
}
