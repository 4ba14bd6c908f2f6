import type { RouterCommands, Workspace } from './router-commands.ts'

/** The demo's workspace and a key of it. */
export interface Account {
  readonly workspace: Workspace
  /** Whether the workspace was there from an earlier start. */
  readonly reused: boolean
  readonly apiKey: string
}

const WORKSPACE = 'demo'
const DOLLARS = '5'
const REASON = 'Demo credit'

/** Makes the demo's workspace, or finds it again, and a new key; a spent balance is filled up. */
export async function openAccount(router: RouterCommands, now: Date): Promise<Account> {
  const found = (await router.listWorkspaces()).find(({ name }) => name === WORKSPACE)
  const workspace = found ?? (await router.createWorkspace(WORKSPACE))
  const [key, credited] = await Promise.all([
    router.createKey(workspace.id, `demo ${now.toISOString()}`),
    workspace.balance_micros > 0 ? workspace : router.credit(workspace.id, DOLLARS, REASON),
  ])
  return {
    workspace: { ...workspace, balance_micros: credited.balance_micros },
    reused: found !== undefined,
    apiKey: key.api_key,
  }
}

/** One workspace with its balance of this moment. */
export async function findWorkspace(router: RouterCommands, id: string): Promise<Workspace> {
  const workspace = (await router.listWorkspaces()).find((each) => each.id === id)
  if (!workspace) throw new Error(`The workspace ${id} is not there any more.`)
  return workspace
}
