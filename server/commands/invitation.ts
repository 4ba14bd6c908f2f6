import { issue as issueInvitation, withdraw as withdrawInvitation } from '../administration/invitations.ts'
import { formatCode } from '../invitations/code.ts'
import { type Invitation, listInvitations } from '../invitations/invitations.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withDatabase } from './database.ts'
import { formatDollars, parseDollars } from './dollars.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { parseCount, parseFuture, parseText, UsageError } from './usage.ts'

/** What `router invitation issue` takes. */
export interface InvitationOptions extends ActOptions {
  readonly grant: string
  readonly maxRedemptions?: string
  readonly expires?: string
  readonly note?: string
  readonly description?: string
}

/** `router invitation issue`: a code that brings credit to new accounts. */
export async function issue(options: InvitationOptions): Promise<void> {
  const { grant, maxRedemptions, expires, note, description } = options
  const grantMicros = parseDollars('--grant', grant)
  if (grantMicros <= 0n) throw new UsageError('--grant must be more than nothing.')
  const invitation = {
    grantMicros,
    ...(maxRedemptions === undefined
      ? {}
      : { maxRedemptions: parseCount('--max-redemptions', maxRedemptions) }),
    ...(expires === undefined ? {} : { expiresAt: parseFuture('--expires', expires) }),
    ...(note === undefined ? {} : { note: parseText('--note', note) }),
    ...(description === undefined ? {} : { description: parseText('--description', description) }),
  }
  const actor = actorOf(options)
  const issued = await withDatabase(options.config, (sql) => issueInvitation(sql, actor, invitation))
  const times = issued.maxRedemptions === 1 ? 'once' : `${issued.maxRedemptions} times`
  const until = issued.expiresAt === null ? '' : `, until ${formatTime(issued.expiresAt)}`
  print(options, toDocument(issued), [
    formatCode(issued.code),
    '',
    `It grants ${formatDollars(issued.grantMicros)}, ${times}${until}.`,
  ])
}

/** `router invitation list`: those that are used up, expired or withdrawn too. */
export async function list(options: CommonOptions): Promise<void> {
  const invitations = await withDatabase(options.config, listInvitations)
  const head = ['CODE', 'GRANT', 'REDEEMED', 'STATE', 'EXPIRES', 'NOTE']
  print(options, invitations.map(toDocument), columns([head, ...invitations.map(toCells)]))
}

/** `router invitation withdraw`: nobody redeems it any more; what it has granted stays. */
export async function withdraw(code: string, options: ActOptions): Promise<void> {
  const actor = actorOf(options)
  const invitation = await withDatabase(options.config, (sql) => withdrawInvitation(sql, actor, { code }))
  if (!invitation) throw new Error('There is no such invitation. See: router invitation list')
  const since = formatTime(invitation.withdrawnAt)
  print(options, toDocument(invitation), [`${formatCode(invitation.code)} is withdrawn since ${since}.`])
}

function toCells(invitation: Invitation): string[] {
  const { code, grantMicros, redemptions, maxRedemptions, expiresAt, note } = invitation
  const used = `${redemptions}/${maxRedemptions}`
  const cells = [formatCode(code), formatDollars(grantMicros), used, stateOf(invitation)]
  return [...cells, formatTime(expiresAt), note ?? '']
}

function stateOf({ isOpen, withdrawnAt, redemptions, maxRedemptions }: Invitation): string {
  if (isOpen) return 'open'
  if (withdrawnAt !== null) return 'withdrawn'
  return redemptions < maxRedemptions ? 'expired' : 'used up'
}

function toDocument(invitation: Invitation): object {
  return {
    code: formatCode(invitation.code),
    grant_micros: invitation.grantMicros,
    description: invitation.description,
    max_redemptions: invitation.maxRedemptions,
    redemptions: invitation.redemptions,
    expires_at: invitation.expiresAt,
    withdrawn_at: invitation.withdrawnAt,
    note: invitation.note,
    created_at: invitation.createdAt,
  }
}
