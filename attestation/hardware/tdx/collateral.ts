import { isObject, type Json } from '../../json-value.ts'
import { demand } from '../refusal.ts'

const NAMES = [
  'root_ca_crl',
  'pck_crl',
  'tcb_info',
  'tcb_info_signature',
  'tcb_info_issuer_chain',
  'qe_identity',
  'qe_identity_signature',
  'qe_identity_issuer_chain',
] as const

/**
 * What Intel publishes about its hardware, as a platform passes it on; each part is signed. The chain of `pck_crl` is
 * not needed: the issuer of the machine's own certificate has to have signed it.
 */
export interface Collateral extends Readonly<Record<(typeof NAMES)[number], string>> {
  /** Certificates of the machine's key, for quotes without them. */
  readonly pck_certificate_chain: string | undefined
}

/** Reads it. Refuses what is missing (`collateral_missing`), and what is no text (`collateral_invalid`). */
export function parseCollateral(value: Json | undefined): Collateral {
  demand(isObject(value), 'collateral_missing')
  const texts = NAMES.map((name) => [name, textOf(value[name])])
  const chain = value.pck_certificate_chain ?? undefined
  return { ...Object.fromEntries(texts), pck_certificate_chain: chain === undefined ? chain : textOf(chain) }
}

/** Reads bytes from hex in lower case: no other spelling says the same. Refuses all else (`collateral_invalid`). */
export function parseHex(text: string): Buffer {
  const bytes = Buffer.from(text, 'hex')
  demand(bytes.toString('hex') === text, 'collateral_invalid')
  return bytes
}

function textOf(value: Json | undefined): string {
  demand(value !== undefined, 'collateral_missing')
  demand(typeof value === 'string', 'collateral_invalid')
  return value
}
