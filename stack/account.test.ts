import { expect, test } from 'vitest'
import { findWorkspace, openAccount } from './account.ts'
import { OWNER } from './owner.ts'
import type { RouterCommands, Workspace } from './router-commands.ts'

const now = new Date('2026-01-01T00:00:00Z')

function createRouter(workspaces: Workspace[]) {
  const done: string[] = []
  const router: RouterCommands = {
    listWorkspaces: async () => workspaces,
    async createKey(workspaceId, name) {
      done.push(`key for ${workspaceId}: ${name}`)
      return { id: 'key_1', api_key: 'sk-tee-v1-x' }
    },
    async credit(workspaceId, dollars) {
      done.push(`credit ${dollars} to ${workspaceId}`)
      return { balance_micros: 5_000_000 }
    },
  }
  return { router, done }
}

const findOwner = (workspaceId: string, isNew: boolean) => async () => ({
  account: { id: 'acc_1', email: OWNER, workspaceId, workspaceName: 'demo' },
  isNew,
})

test('the first start fills the owner’s workspace with $5.00 and makes a key of it', async () => {
  const { router, done } = createRouter([
    { id: 'ws_old', name: 'demo', balance_micros: 9 },
    { id: 'ws_new', name: 'demo', balance_micros: 0 },
  ])
  const account = await openAccount(router, findOwner('ws_new', true), now)
  expect(account).toEqual({
    workspace: { id: 'ws_new', name: 'demo', balance_micros: 5_000_000 },
    reused: false,
    apiKey: 'sk-tee-v1-x',
  })
  expect(done).toEqual(['key for ws_new: demo 2026-01-01T00:00:00.000Z', 'credit 5 to ws_new'])
})

test('the next start finds the workspace again and makes another key', async () => {
  const { router, done } = createRouter([{ id: 'ws_old', name: 'demo', balance_micros: 4_999_977 }])
  const { workspace, reused } = await openAccount(router, findOwner('ws_old', false), now)
  expect([workspace.id, workspace.balance_micros, reused]).toEqual(['ws_old', 4_999_977, true])
  expect(done).toEqual(['key for ws_old: demo 2026-01-01T00:00:00.000Z'])
})

test('a balance that is spent is filled up', async () => {
  const { router, done } = createRouter([{ id: 'ws_old', name: 'demo', balance_micros: -3 }])
  await openAccount(router, findOwner('ws_old', false), now)
  expect(done).toContain('credit 5 to ws_old')
})

test('a workspace that has gone is missed', async () => {
  await expect(findWorkspace(createRouter([]).router, 'ws_1')).rejects.toThrow('ws_1')
})
