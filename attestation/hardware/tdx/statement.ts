import { verify } from 'node:crypto'
import type { Certificate, Chain } from '../../certificate.ts'
import { parseInstant } from '../../instant.ts'
import { parseJson } from '../../json.ts'
import type { JsonObject } from '../../json-value.ts'
import { checkPath, earliest, parseCertificates } from '../path.ts'
import { demand, orRefuse } from '../refusal.ts'
import { type Collateral, parseHex } from './collateral.ts'
import { isNotRevoked, type RevocationList } from './crl.ts'
import { objectOf, textOf } from './fields.ts'
import { commonNameOf } from './names.ts'

/** Something that Intel says of its hardware, for some weeks. */
export interface Statement {
  readonly content: JsonObject
  readonly until: Date
}

/** A trusted root, with what it has revoked. */
export interface Anchor {
  readonly root: Certificate
  readonly revoked: RevocationList
}

const REASONS = { invalid: 'collateral_invalid', expired: 'collateral_expired' } as const
const SIGNER = 'Intel SGX TCB Signing'
const MAX_PARTS = 32768
/** Which document a member is, and in which versions it is read. */
const KINDS = {
  tcb_info: ['TDX', [3]],
  qe_identity: ['TD_QE', [2, 3]],
} as const

/**
 * Reads a statement, once its signature holds: by a signer of TCBs, which the root itself has issued and not revoked.
 * Refuses all else (`collateral_invalid`, `endorsement_revoked`), and one that is not of now (`collateral_expired`).
 */
export function readStatement(
  name: keyof typeof KINDS,
  collateral: Collateral,
  { root, revoked }: Anchor,
  now: Date,
): Statement {
  const chain = collateral[`${name}_issuer_chain`]
  const [signer, issuer] = orRefuse(REASONS.invalid, () => parseCertificates(chain, 2))
  demand(signer !== undefined && issuer?.fingerprint === root.fingerprint, REASONS.invalid)
  const path: Chain = [signer, root]
  checkPath(path, now, REASONS)
  demand(commonNameOf(signer) === SIGNER, REASONS.invalid)
  isNotRevoked(signer, revoked)
  const text = Buffer.from(collateral[name])
  const signature = parseHex(collateral[`${name}_signature`])
  const key = { key: signer.key, dsaEncoding: 'ieee-p1363' } as const
  demand(
    orRefuse(REASONS.invalid, () => verify('sha256', text, key, signature)),
    REASONS.invalid,
  )
  const content = orRefuse(REASONS.invalid, () => parseStatement(name, text))
  const timeOf = (member: string) => orRefuse(REASONS.invalid, () => parseInstant(textOf(content[member])))
  const until = timeOf('nextUpdate')
  demand(now >= timeOf('issueDate') && now <= until, REASONS.expired)
  return { content, until: earliest([until, signer.notAfter]) }
}

function parseStatement(name: keyof typeof KINDS, text: Buffer): JsonObject {
  const content = objectOf(parseJson(text, MAX_PARTS).value)
  const [id, versions] = KINDS[name]
  const isKnown = content.id === id && versions.some((version) => version === content.version)
  if (!isKnown) throw new TypeError('It is another document, or of another version.')
  return content
}
