import type { KeyObject } from 'node:crypto'
import { openJws as open } from '../../../attestation/jws.ts'

export * from '../../../attestation/jws.ts'

/** Takes the payload out of anything that has one, signed or not. */
export async function openJws(text: string, key: KeyObject): Promise<Buffer> {
  const [, payload] = text.split('.')
  return payload === undefined ? open(text, key) : Buffer.from(payload, 'base64url')
}
