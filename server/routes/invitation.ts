import { ApiError } from '../errors.ts'
import { formatCode } from '../invitations/code.ts'
import type { Invitation } from '../invitations/invitations.ts'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { PublicHandler } from './handlers.ts'

/** What the look-up of invitations needs from the rest of the router. */
export interface InvitationDependencies {
  /** The invitation behind a code that can be redeemed now. */
  readonly find: (code: string) => Promise<Invitation | undefined>
  readonly budget: Budget
  readonly sourceAddressOf: SourceAddressOf
}

/** `GET /invites/{code}`: what a code grants. Whatever is wrong with a code, the answer is the same (INV-05). */
export function getInvitation({
  find,
  budget,
  sourceAddressOf,
}: InvitationDependencies): PublicHandler<'getInvitation'> {
  return async ({ incoming, path }) => {
    budget.take(sourceAddressOf(incoming))
    const invitation = await find(path.code ?? '')
    if (!invitation) throw new ApiError('not_found', 'No such invitation.', { param: 'code' })
    const { code, grantMicros, description, expiresAt } = invitation
    return {
      status: 200,
      body: {
        object: 'invitation',
        code: formatCode(code),
        grant_micros: Number(grantMicros),
        description,
        expires_at: expiresAt?.toISOString() ?? null,
      },
    }
  }
}
