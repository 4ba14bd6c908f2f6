import type { HardwareFormat } from '../evidence.ts'
import { demand, orRefuse } from '../refusal.ts'
import { Bytes } from './bytes.ts'

/** A quote, whose parts sign one another; nothing of it has been checked. */
export interface Quote {
  /** Header and body, which the attestation key signs. */
  readonly signed: Buffer
  readonly body: Buffer
  readonly signature: Buffer
  /** Both coordinates of a point of P-256. */
  readonly attestationKey: Buffer
  /** The quoting enclave's own report, which the machine's certified key signs. */
  readonly qeReport: Buffer
  readonly qeSignature: Buffer
  readonly qeAuthData: Buffer
  /** Certificates of that key in PEM; undefined where they come beside the quote. */
  readonly certificates: string | undefined
}

const VERSIONS: ReadonlyMap<string, number> = new Map<HardwareFormat, number>([
  ['intel-tdx-quote-v4', 4],
  ['intel-tdx-quote-v5', 5],
])
const HEADER_BYTES = 48
const ECDSA_P256 = 2
const TDX = 0x81
const INTEL = Buffer.from('939a7233f79c4ca9940a0db3957f0607', 'hex')
/** Of the bodies of a guest: TDX 1.0, 1.5 and 1.5 extended. */
const BODY_BYTES: ReadonlyMap<number, number> = new Map([
  [2, 584],
  [3, 648],
  [4, 885],
])
const QE_REPORT_BYTES = 384
const PAIR_BYTES = 64
const QE_REPORT_CERTIFICATION = 6
const PCK_IDENTITY = 3
const PCK_CHAIN = 5

/**
 * Reads a quote. Refuses (`quote_malformed`) one of another version than its label, and bytes that are missing or left
 * over, but for zeros at the end, and (`quote_unsupported`) another kind of key, enclave, body or certification.
 */
export function parseQuote(bytes: Buffer, format: string): Quote {
  return orRefuse('quote_malformed', () => {
    const quote = new Bytes(bytes)
    const header = quote.take(HEADER_BYTES)
    demand(header.readUInt16LE(0) === VERSIONS.get(format), 'quote_malformed')
    const isKnown = header.readUInt16LE(2) === ECDSA_P256 && header.readUInt32LE(4) === TDX
    demand(isKnown && header.subarray(12, 28).equals(INTEL), 'quote_unsupported')
    const body = quote.take(format === 'intel-tdx-quote-v4' ? 584 : takeBodySize(quote))
    const signed = quote.taken
    const section = new Bytes(quote.take(quote.takeUint32()))
    // Some platforms pad to the size of their buffer.
    demand(
      quote.rest.every((byte) => byte === 0),
      'quote_malformed',
    )
    const signature = section.take(PAIR_BYTES)
    const attestationKey = section.take(PAIR_BYTES)
    const certification = takeTyped(section, [QE_REPORT_CERTIFICATION])
    const parts = new Bytes(certification.content)
    const qeReport = parts.take(QE_REPORT_BYTES)
    const qeSignature = parts.take(PAIR_BYTES)
    const qeAuthData = parts.take(parts.takeUint16())
    const { type, content } = takeTyped(parts, [PCK_IDENTITY, PCK_CHAIN])
    const certificates = type === PCK_CHAIN ? content.toString('latin1') : undefined
    return { signed, body, signature, attestationKey, qeReport, qeSignature, qeAuthData, certificates }
  })
}

function takeBodySize(quote: Bytes): number {
  const size = BODY_BYTES.get(quote.takeUint16())
  demand(size !== undefined, 'quote_unsupported')
  demand(quote.takeUint32() === size, 'quote_malformed')
  return size
}

/** Takes what is last in its container: its type, its size, its bytes. */
function takeTyped(container: Bytes, types: readonly number[]): { type: number; content: Buffer } {
  const type = container.takeUint16()
  demand(types.includes(type), 'quote_unsupported')
  const content = container.take(container.takeUint32())
  demand(container.rest.length === 0, 'quote_malformed')
  return { type, content }
}
