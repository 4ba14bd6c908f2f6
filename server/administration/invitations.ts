import {
  type Invitation,
  issueInvitation,
  type NewInvitation,
  withdrawInvitationOnce,
} from '../invitations/invitations.ts'
import type { Queryable } from '../store/connection.ts'
import { type Actor, audited } from './act.ts'

/** Issues an invitation; its code is not in what is written down of it. */
export async function issue(sql: Queryable, actor: Actor, invitation: NewInvitation): Promise<Invitation> {
  const issued = await audited(
    sql,
    actor,
    (transaction) => issueInvitation(transaction, invitation),
    ({ id, grantMicros, maxRedemptions, expiresAt }) => {
      const details = {
        grant_micros: String(grantMicros),
        max_redemptions: String(maxRedemptions),
        ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      }
      return [{ act: 'invitation_issued', subject: id, details }]
    },
  )
  return issued!
}

/** Withdraws an invitation; doing it again changes nothing. Undefined when there is none. */
export async function withdraw(
  sql: Queryable,
  actor: Actor,
  name: { readonly id: string } | { readonly code: string },
): Promise<Invitation | undefined> {
  const withdrawn = await audited(
    sql,
    actor,
    (transaction) => withdrawInvitationOnce(transaction, name),
    ({ isFirst, invitation: { id } }) => (isFirst ? [{ act: 'invitation_withdrawn', subject: id }] : []),
  )
  return withdrawn?.invitation
}
