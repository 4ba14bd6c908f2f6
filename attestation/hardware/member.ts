import { isObject, type Json } from '../json-value.ts'
import { demand } from './refusal.ts'

/** What the platform publishes about the hardware; nobody has signed it, for the quote proves itself. */
export interface Member {
  readonly format: string
  readonly data: Buffer
  readonly collateral: Json | undefined
}

/**
 * Reads the member of an envelope. Refuses none, or one without a quote (`quote_missing`), and another shape or base64
 * in another spelling than its only one (`quote_malformed`).
 */
export function parseMember(member: Json | undefined): Member {
  demand(member !== undefined && member !== null, 'quote_missing')
  demand(isObject(member), 'quote_malformed')
  const { format, data, collateral } = member
  demand(data !== undefined, 'quote_missing')
  demand(typeof format === 'string' && typeof data === 'string', 'quote_malformed')
  const bytes = Buffer.from(data, 'base64')
  demand(bytes.toString('base64') === data, 'quote_malformed')
  return { format, data: bytes, collateral }
}
