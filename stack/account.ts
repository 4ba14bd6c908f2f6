import type { FoundAccount } from '../server/console/accounts.ts'
import type { RouterCommands, Workspace } from './router-commands.ts'

/** The demo's workspace and a key of it. */
export interface Account {
  readonly workspace: Workspace
  /** Whether the workspace was there from an earlier start. */
  readonly reused: boolean
  readonly apiKey: string
}

const DOLLARS = '5'
const REASON = 'Demo credit'

/** Opens the owner's workspace and makes a new key of it; a spent balance is filled up. */
export async function openAccount(
  router: RouterCommands,
  findOwner: () => Promise<FoundAccount>,
  now: Date,
): Promise<Account> {
  const { account, isNew } = await findOwner()
  const workspace = await findWorkspace(router, account.workspaceId)
  const [key, credited] = await Promise.all([
    router.createKey(workspace.id, `demo ${now.toISOString()}`),
    workspace.balance_micros > 0 ? workspace : router.credit(workspace.id, DOLLARS, REASON),
  ])
  return {
    workspace: { ...workspace, balance_micros: credited.balance_micros },
    reused: !isNew,
    apiKey: key.api_key,
  }
}

/** One workspace with its balance of this moment. */
export async function findWorkspace(router: RouterCommands, id: string): Promise<Workspace> {
  const workspace = (await router.listWorkspaces()).find((each) => each.id === id)
  if (!workspace) throw new Error(`The workspace ${id} is not there any more.`)
  return workspace
}
