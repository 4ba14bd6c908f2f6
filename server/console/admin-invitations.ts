import type { components } from '#contract/console/types'
import { issue, withdraw } from '../administration/invitations.ts'
import { formatCode } from '../invitations/code.ts'
import { type Invitation, listInvitationPage } from '../invitations/invitations.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { actorOf, missing } from './administrator.ts'
import { readCursor } from './cursor.ts'
import type { ConsoleHandler } from './handlers.ts'
import { toPageBody } from './page-body.ts'
import { readLimit, readTime, wrong } from './query.ts'

type InvitationBody = components['schemas']['AdminInvitation']

const ID = /^inv_[0-9A-HJKMNP-TV-Z]{26}$/

/** `GET /admin/invitations`: all of them, the newest first. */
export function listingInvitations(sql: Sql): ConsoleHandler<'listInvitations'> {
  return async ({ query }) => {
    const [after] = readCursor(query.after, [ID]) ?? []
    const limit = readLimit(query.limit)
    const rows = await outlast(() => listInvitationPage(sql, { after, limit: limit + 1 }))
    return { status: 200, body: toPageBody(rows, limit, { toBody, placeOf: ({ id }) => [id] }) }
  }
}

/** `POST /admin/invitations`. */
export const issueInvitation: ConsoleHandler<'issueInvitation'> = async ({ person, body, change }) => {
  const { grant_micros, description, max_redemptions, expires_at, note } = body
  const invitation = {
    grantMicros: BigInt(grant_micros),
    ...(description !== undefined && { description }),
    ...(max_redemptions !== undefined && { maxRedemptions: max_redemptions }),
    ...(expires_at && { expiresAt: readEnd(expires_at) }),
    ...(note !== undefined && { note }),
  }
  const issued = await change((transaction) => issue(transaction, actorOf(person), invitation))
  return { status: 201, body: toBody(issued) }
}

/** `DELETE /admin/invitations/{id}`: a second time changes nothing, and is no second act. */
export const withdrawInvitation: ConsoleHandler<'withdrawInvitation'> = async ({ person, path, change }) => {
  const name = { id: path.id }
  const invitation = await change((transaction) => withdraw(transaction, actorOf(person), name))
  if (!invitation) throw missing('invitation', 'id')
  return { status: 200, body: toBody(invitation) }
}

/** An invitation that has ended before it begins would be a mistake. */
function readEnd(text: string): Date {
  const end = readTime('expires_at', text)
  if (end.getTime() <= Date.now()) throw wrong('expires_at', 'has to be a time that is still to come.')
  return end
}

function toBody(invitation: Invitation): InvitationBody {
  return {
    id: invitation.id,
    code: formatCode(invitation.code),
    grant_micros: Number(invitation.grantMicros),
    description: invitation.description,
    max_redemptions: invitation.maxRedemptions,
    redemptions: invitation.redemptions,
    expires_at: invitation.expiresAt?.toISOString() ?? null,
    withdrawn_at: invitation.withdrawnAt?.toISOString() ?? null,
    note: invitation.note,
    created_at: invitation.createdAt.toISOString(),
  }
}
