import type { ReadBundle } from './read.ts'

/** One comparison that was made in the browser. */
export interface Check {
  readonly id: string
  readonly title: string
  /** What it means that both are equal. */
  readonly meaning: string
  readonly isEqual: boolean
  /** What was computed, and what it was compared with. */
  readonly computed: string
  readonly stated: string
}

interface Stated {
  /** What the router lists for the deployment, in wire form; undefined when it lists none. */
  readonly listed?: string | undefined
  /** The `ETag` of the answer that brought the bytes: hexadecimal digits of their SHA-256. */
  readonly etag?: string | undefined
}

/** Members that the envelope repeats from what was signed. */
const COPIES = ['kind', 'hostname', 'issuedAt', 'certFingerprint'] as const

/** Compares what was computed with what is stated; a check whose other side is missing is not made. */
export function checksOf(bundle: ReadBundle, { listed, etag }: Stated): Check[] {
  const { envelope, payload, snapshotDigest, bytesDigest, leafDigest } = bundle
  const signed = textOf(payload.evidenceDigest)
  const checks = [
    check('snapshot', 'Snapshot and signed digest', snapshotDigest, signed, {
      meaning: 'What is shown below is what the signature names: not a byte of its values differs.',
    }),
    check('listed', 'Snapshot and the router’s list', snapshotDigest, listed, {
      meaning: 'The router names this deployment in its list, and in the records of requests.',
    }),
    check('bytes', 'Bytes and their ETag', bytesDigest, etag === undefined ? undefined : fromEtag(etag), {
      meaning:
        'The bytes arrived as they were sent; their digest can be compared with the platform’s own copy.',
    }),
    check('leaf', 'TLS certificate and signed fingerprint', leafDigest, textOf(payload.certFingerprint), {
      meaning: 'The certificate in the bundle is the one that was signed for.',
    }),
    check(
      'copies',
      'Envelope and signed values',
      COPIES.map((name) => textOf(envelope[name])).join(' · '),
      COPIES.map((name) => textOf(payload[name])).join(' · '),
      { meaning: 'Kind, hostname, time and fingerprint stand outside as they were signed.' },
    ),
  ]
  return checks.filter((check) => check !== undefined)
}

function check(
  id: string,
  title: string,
  computed: string | undefined,
  stated: string | undefined,
  { meaning }: { readonly meaning: string },
): Check | undefined {
  if (computed === undefined || stated === undefined) return undefined
  return { id, title, meaning, isEqual: computed === stated, computed, stated }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An ETag's hexadecimal digits, in wire form; the text itself where it has none. */
function fromEtag(etag: string): string {
  const [, hex] = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(etag) ?? []
  if (hex === undefined) return etag
  const binary = hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `sha256/${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
