import type { Act } from '../helper.ts'
import { type Books, type Key, move, type Workspace } from './books.ts'
import type { Evidence } from './evidence.ts'
import type { Invitations } from './invitations.ts'

/** What the router lets the suite do: no more than given rules need. */
export function controlOf(
  books: Books,
  invitations: Invitations,
  evidence: Evidence,
): Readonly<Record<string, Act>> {
  const workspaceOf = (id: unknown) => found(books.workspaces.get(String(id)))
  const keyOf = (id: unknown) => found(books.keyById(String(id)))
  return {
    '/createWorkspace': ({ balance_micros: balance }) => told(books.open(Number(balance ?? 0))),
    '/setBalance': ({ workspace_id: id, balance_micros: balance }) => {
      const workspace = workspaceOf(id)
      move(workspace, Number(balance) - workspace.balance, 'Put right')
      return told(workspace)
    },
    '/createKey': (command) => {
      const key = books.addKey(workspaceOf(command.workspace_id), {
        name: String(command.name ?? ''),
        scope: command.model_scope as Key['scope'],
        requestsPerMinute: command.requests_per_minute as number,
        tokensPerMinute: command.tokens_per_minute as number,
        spendLimit: command.spend_limit_micros as number,
        endsAt: command.expires_at ? Date.parse(String(command.expires_at)) : null,
        revokedAt: command.revoked ? new Date().toISOString() : null,
      })
      return { ...shown(key), api_key: key.secret }
    },
    // It notes a new end, and has no key live again by it.
    '/updateKey': ({ id, ...settings }) => ({ ...shown(keyOf(id)), ...settings }),
    '/revokeKey': ({ id }) => {
      const key = keyOf(id)
      key.revokedAt = new Date().toISOString()
      return shown(key)
    },
    '/debits': ({ workspace_id: id }) => debitsOf(workspaceOf(id)),
    '/issueInvitation': ({ grant_micros: grant }) =>
      invitationOf(invitations.issue(Number(grant)), Number(grant)),
    '/redeemInvitation': ({ code, account, workspace_id: id }) => ({
      granted_micros: invitations.redeem(String(code), String(account), workspaceOf(id)),
    }),
    '/publishEvidence': ({ bundle }) => evidence.publish('shown', Buffer.from(String(bundle))),
    '/database/cut': () => books.takeAway(true),
    '/database/mend': () => books.takeAway(false),
  }
}

function found<One>(one: One | undefined): One {
  if (one === undefined) throw new Error('there is none')
  return one
}

function told({ id, balance }: Workspace): object {
  return { id, balance_micros: balance }
}

/** A key as it is shown later: by its first twelve characters. */
function shown({ id, workspace, name, secret, endsAt, spent, revokedAt, ...key }: Key): object {
  const isOver = endsAt !== null && endsAt <= Date.now()
  return {
    id,
    workspace_id: workspace.id,
    state: revokedAt !== null ? 'revoked' : isOver ? 'expired' : 'active',
    spent_micros: spent,
    revoked_at: revokedAt,
    name,
    shown_as: secret.slice(0, 12),
    model_scope: key.scope ?? null,
    requests_per_minute: key.requestsPerMinute ?? null,
    tokens_per_minute: key.tokensPerMinute ?? null,
    spend_limit_micros: key.spendLimit ?? null,
    expires_at: endsAt === null ? null : new Date(endsAt).toISOString(),
  }
}

function debitsOf({ balance, rows, generations }: Workspace): object {
  return {
    balance_micros: balance,
    rows: rows.map(({ amount, generation, name }) => ({
      ...{ amount_micros: amount, generation_id: generation, name },
    })),
    generations: generations.map(({ id, status, prompt, completion, cost }) => ({
      ...{ id, status, prompt_tokens: prompt, completion_tokens: completion, cost_micros: cost },
    })),
  }
}

function invitationOf(code: string, grant: number): object {
  const none = { note: null, expires_at: null, withdrawn_at: null }
  const at = new Date().toISOString()
  return {
    code,
    grant_micros: grant,
    description: '',
    max_redemptions: 1,
    redemptions: 0,
    created_at: at,
    ...none,
  }
}
