import type { ControlBooks, ControlDebits } from '#contract/models'
import { debitsIn } from './debits.ts'
import type { Hooks } from './hooks.ts'
import type { FixtureKey, ModelName, Target } from './target.ts'

/** A key and, when it was made for the scenario, the workspace that pays. */
export interface Account {
  readonly key: string
  /** Undefined for a key of the target file. */
  readonly keyId: string | undefined
  readonly workspaceId: string | undefined
}

/** What is special about a workspace and its key. */
export interface AccountSettings {
  readonly balanceMicros?: number
  /** Names of the target's models. */
  readonly scope?: readonly ModelName[]
  readonly spendLimitMicros?: number
  readonly expiresAt?: Date
  readonly isRevoked?: boolean
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** The workspace's own limits in place of the deployment's. */
  readonly workspaceLimits?: { readonly requestsPerMinute?: number; readonly tokensPerMinute?: number }
}

/** Keys and workspaces of one scenario. */
export interface Accounts {
  /** A new workspace with a key; the target's own key when nothing special is asked and no workspace can be made. */
  open(settings?: AccountSettings): Promise<Account>
  /** Another key of the same workspace. */
  addKey(
    account: Account,
    settings?: Omit<AccountSettings, 'balanceMicros' | 'workspaceLimits'>,
  ): Promise<Account>
  /** A key in a certain state: the target's, else one that is made. */
  fixture(name: FixtureKey): Promise<Account>
  books(account: Account): Promise<ControlBooks>
  /** What given rules speak of in the books; read from these where the target has no other way. */
  debits(account: Account): Promise<ControlDebits>
  /** Every workspace that was made. */
  readonly opened: readonly Account[]
}

const FIVE_DOLLARS = 5_000_000

/** How the keys of a target file are made where it names none. */
const fixtures: Readonly<Record<FixtureKey, AccountSettings>> = {
  active: {},
  revoked: { isRevoked: true },
  expired: { expiresAt: new Date('2020-01-01T00:00:00Z') },
  scoped: { scope: ['chat'] },
  poor: { balanceMicros: 0 },
  capped: { spendLimitMicros: 0 },
}

/** Opens accounts by the target's hooks; their errors pass through. `tellSecret` hears each new key, for redaction. */
export function createAccounts(target: Target, hooks: Hooks, tellSecret: (secret: string) => void): Accounts {
  const opened: Account[] = []
  const canMake = target.hooks.createWorkspace !== undefined && target.hooks.createKey !== undefined

  async function open(settings: AccountSettings = {}): Promise<Account> {
    if (!canMake && Object.keys(settings).length === 0) return written('active')
    const { balanceMicros = FIVE_DOLLARS, workspaceLimits = {}, ...rest } = settings
    const { requestsPerMinute, tokensPerMinute } = workspaceLimits
    const workspace = await hooks('createWorkspace', {
      name: 'conformance',
      balance_micros: balanceMicros,
      ...(requestsPerMinute && { requests_per_minute: requestsPerMinute }),
      ...(tokensPerMinute && { tokens_per_minute: tokensPerMinute }),
    })
    const account = await makeKey(workspace.id, rest)
    opened.push(account)
    return account
  }

  async function makeKey(workspaceId: string, settings: AccountSettings): Promise<Account> {
    const { scope, spendLimitMicros, expiresAt, isRevoked, requestsPerMinute, tokensPerMinute } = settings
    const key = await hooks('createKey', {
      workspace_id: workspaceId,
      name: 'conformance',
      ...(scope && { model_scope: scope.map((name) => target.models[name] ?? name) }),
      ...(spendLimitMicros !== undefined && { spend_limit_micros: spendLimitMicros }),
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(isRevoked && { revoked: true }),
      ...(requestsPerMinute && { requests_per_minute: requestsPerMinute }),
      ...(tokensPerMinute && { tokens_per_minute: tokensPerMinute }),
    })
    tellSecret(key.api_key)
    return { key: key.api_key, keyId: key.id, workspaceId }
  }

  const books = ({ workspaceId }: Account) => hooks('books', { workspace_id: workspaceId ?? '' })

  function written(name: FixtureKey): Account {
    return { key: target.keys[name] ?? '', keyId: undefined, workspaceId: undefined }
  }

  return {
    opened,
    open,
    addKey: ({ workspaceId }, settings = {}) => makeKey(workspaceId ?? '', settings),
    fixture: async (name) => (target.keys[name] === undefined ? open(fixtures[name]) : written(name)),
    books,
    debits: async (account) =>
      target.hooks.debits === undefined
        ? debitsIn(await books(account))
        : hooks('debits', { workspace_id: account.workspaceId ?? '' }),
  }
}
