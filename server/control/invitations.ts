import type { ControlInvitation } from '#contract/models'
import { formatCode } from '../invitations/code.ts'
import { type Invitation, issueInvitation, withdrawInvitation } from '../invitations/invitations.ts'
import { redeemInvitation } from '../invitations/redeem.ts'
import type { Sql } from '../store/connection.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { ControlError, type ControlHandler } from './handlers.ts'

/** Issues an invitation with any settings, an end in the past included. */
export function issuingInvitations(sql: Sql): ControlHandler<'issueInvitation'> {
  return async (command) => {
    const { grant_micros, description, max_redemptions, expires_at, note } = command
    const issued = await issueInvitation(sql, {
      grantMicros: BigInt(grant_micros),
      ...(description !== undefined && { description }),
      ...(max_redemptions !== undefined && { maxRedemptions: max_redemptions }),
      ...(expires_at !== undefined && { expiresAt: new Date(expires_at) }),
      ...(note !== undefined && { note }),
    })
    return toControlInvitation(issued)
  }
}

/** Withdraws an invitation. */
export function withdrawingInvitations(sql: Sql): ControlHandler<'withdrawInvitation'> {
  return async ({ code }) => {
    const withdrawn = await withdrawInvitation(sql, code)
    if (!withdrawn) throw new ControlError(`There is no invitation ${code}.`)
    return toControlInvitation(withdrawn)
  }
}

/** Redeems a code as the creation of an account does; one that is no good grants nothing and fails nobody. */
export function redeemingInvitations(sql: Sql): ControlHandler<'redeemInvitation'> {
  return async ({ code, account, workspace_id: workspaceId }) => {
    if (!(await findWorkspace(sql, workspaceId)))
      throw new ControlError(`There is no workspace ${workspaceId}.`)
    const grant = await redeemInvitation(sql, { accountId: account, workspaceId, code })
    return { granted_micros: grant && !grant.isRepeated ? Number(grant.grantMicros) : null }
  }
}

function toControlInvitation(invitation: Invitation): ControlInvitation {
  return {
    code: formatCode(invitation.code),
    grant_micros: Number(invitation.grantMicros),
    description: invitation.description,
    max_redemptions: invitation.maxRedemptions,
    redemptions: invitation.redemptions,
    note: invitation.note,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt?.toISOString() ?? null,
    withdrawn_at: invitation.withdrawnAt?.toISOString() ?? null,
  }
}
