import {
  AttestationError,
  type Digest,
  type HardwareCondition,
  parseDigest,
  parseRoots,
  type TrustedRoot,
} from '#attestation'
import { isAttestedRootConfig } from '#contract/validators/attested-root-config'
import type { Standing } from '#egress/verdict/verdict.ts'

/** An external upstream as it stands in the table: what administrators have said, and what routers share. */
export interface Registration {
  readonly name: string
  /** New at each registration. */
  readonly id: string
  /** Base URL with its `/v1`, without a trailing slash. */
  readonly url: string
  /** The name in its handshake and its evidence. */
  readonly hostname: string
  readonly roots: readonly TrustedRoot[]
  /** What is demanded of the hardware that holds a root's key; undefined for nothing. */
  readonly attested: readonly HardwareCondition[] | undefined
  /** Encrypted; null when it asks for none. */
  readonly apiKey: Buffer | null
  readonly pins: readonly Digest[]
  readonly standing: Standing
  readonly deniedAt: Date | null
  /** A verdict that was given under another one does not count. */
  readonly revision: bigint
  readonly attestationsAsked: bigint
  readonly admitted: { readonly at: Date; readonly digest: Digest } | undefined
  readonly newestIssuedAt: Date | undefined
  readonly createdAt: Date
}

/** A row of the table. */
export interface UpstreamRow {
  readonly name: string
  readonly id: string
  readonly url: string
  readonly hostname: string
  readonly roots: string
  readonly require_leaf_name: boolean
  readonly attested: unknown
  readonly api_key: Buffer | null
  readonly pins: readonly string[]
  readonly is_disabled: boolean
  readonly denied_at: Date | null
  readonly denied_stage: string | null
  readonly denied_reason: string | null
  readonly revision: bigint
  readonly attestations_asked: bigint
  readonly admitted_at: Date | null
  readonly admitted_digest: string | null
  readonly newest_issued_at: Date | null
  readonly created_at: Date
}

/** Reads a row; throws when it holds what no registration can. */
export function parseRegistration(row: UpstreamRow): Registration {
  const { name, id, url, hostname, revision } = row
  const attested = conditionsOf(row)
  return {
    name,
    id,
    url,
    hostname,
    roots: parseRoots(row.roots, { requireLeafName: row.require_leaf_name, attested }),
    attested,
    apiKey: row.api_key,
    pins: row.pins.map(parseDigest),
    standing: { isDisabled: row.is_disabled, denial: denialOf(row) },
    deniedAt: row.denied_at,
    revision,
    attestationsAsked: row.attestations_asked,
    admitted:
      row.admitted_at === null || row.admitted_digest === null
        ? undefined
        : { at: row.admitted_at, digest: parseDigest(row.admitted_digest) },
    newestIssuedAt: row.newest_issued_at ?? undefined,
    createdAt: row.created_at,
  }
}

function conditionsOf({ name, attested }: UpstreamRow): readonly HardwareCondition[] | undefined {
  if (attested === null) return undefined
  // Without what was demanded it would be admitted too easily.
  if (!isAttestedRootConfig(attested)) throw new TypeError(`What is demanded of ${name} cannot be read.`)
  return attested.measurements
}

/** Stage and reason came out of an `AttestationError`; whatever else stood there would deny all the same. */
function denialOf({ denied_stage, denied_reason }: UpstreamRow): AttestationError | undefined {
  if (denied_stage === null) return undefined
  return new AttestationError(
    ...([denied_stage, denied_reason] as unknown as ['policy', 'digest_not_pinned']),
  )
}
