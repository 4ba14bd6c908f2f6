import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { parseCode } from './code.ts'

/** Who redeems a code, and whose balance the grant goes to. */
export interface Redemption {
  /** An account is granted one invitation, ever. */
  readonly accountId: string
  readonly workspaceId: string
  /** As it was typed. */
  readonly code: string
}

/** A grant that stands in the ledger. */
export interface Grant {
  readonly invitationId: string
  readonly grantMicros: bigint
  readonly ledgerId: string
  /** It stood already: the account had redeemed this very code before. */
  readonly isRepeated: boolean
}

/**
 * Redeems a code in one transaction, or within the caller's. Undefined when nothing is granted: the code cannot be
 * redeemed, or the account has had its one grant. Neither throws, so that the account is made all the same.
 */
export async function redeemInvitation(
  sql: Queryable,
  { accountId, workspaceId, code }: Redemption,
): Promise<Grant | undefined> {
  const [row] = await sql<Row[]>`
    select * from redeem_invitation(
      ${parseCode(code) ?? ''}::text, ${accountId}::text, ${workspaceId}::text, ${createId('led_')}::text
    )`
  return (
    row && {
      invitationId: row.invitation_id,
      grantMicros: row.grant_micros,
      ledgerId: row.ledger_id,
      isRepeated: row.repeated,
    }
  )
}

interface Row {
  readonly invitation_id: string
  readonly grant_micros: bigint
  readonly ledger_id: string
  readonly repeated: boolean
}
