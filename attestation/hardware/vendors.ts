import type { SnpProduct } from './conditions.ts'

/** AMD's authorities for one product, each a certificate in DER. */
export interface AmdAuthorities {
  /** The root (ARK). */
  readonly ark: Uint8Array
  /** Issues to chips (ASK). */
  readonly vcek: Uint8Array
  /** Issues to clouds (ASVK). */
  readonly vlek: Uint8Array
}

/** Whom hardware evidence ends at. */
export interface Vendors {
  readonly amd: Readonly<Partial<Record<SnpProduct, AmdAuthorities>>>
  /** Intel's root certificate in DER. */
  readonly intel: Uint8Array
}
