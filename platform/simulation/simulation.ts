import { hash, type X509Certificate } from 'node:crypto'

/** A quote that no hardware made, and that says so. */
export interface SimulatedQuote {
  readonly status: 'simulated'
  readonly format: 'amd-sev-snp-report' | 'intel-tdx-quote-v4'
  /** In base64. */
  readonly data: string
  /** What stands beside it: certificates, and what their vendor says. */
  readonly collateral: Readonly<Record<string, string>>
}

/** A vendor and one of its machines, none of which is there: their keys are published in this room. */
export interface Simulation {
  /** The vendor's certificates, its root first; built into no verifier. */
  readonly vendor: readonly X509Certificate[]
  /** A quote about the key of a root, as of some time. */
  quoteOf(root: X509Certificate, now: Date): SimulatedQuote
}

/** The 32 bytes with which the report data of a quote about a root begins (VRFY-29). */
export function boundTo({ publicKey }: X509Certificate): Buffer {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'buffer')
}

/** A measurement of 48 bytes, of nothing but its own name. */
export function measured(name: string): Buffer {
  return hash('sha384', `simulated hardware: ${name}`, 'buffer')
}
