import { shorten } from '#base/foreign-text.ts'
import { createWorkspace, listWorkspaces, type Workspace } from '../store/workspaces.ts'
import { withDatabase } from './database.ts'
import { formatDollars } from './dollars.ts'
import { type CommonOptions, columns, print } from './output.ts'
import { parseText } from './usage.ts'

const MAX_NAME_CHARACTERS = 64

/** `router workspace create --name N`. */
export async function create(options: CommonOptions & { readonly name: string }): Promise<void> {
  const { config } = options
  const name = parseText('--name', options.name, MAX_NAME_CHARACTERS)
  const workspace = await withDatabase(config, (sql) => createWorkspace(sql, name))
  print(options, toDocument(workspace), [
    `Workspace ${workspace.id} (${shorten(workspace.name)}) is there, with ${formatDollars(workspace.balanceMicros)}.`,
    `Add credit: router credit ${workspace.id} 5 --reason "First top-up"`,
  ])
}

/** `router workspace list`. */
export async function list(options: CommonOptions): Promise<void> {
  const workspaces = await withDatabase(options.config, listWorkspaces)
  const rows = workspaces.map(({ id, name, balanceMicros }) => [id, name, formatDollars(balanceMicros)])
  print(options, workspaces.map(toDocument), columns([['WORKSPACE', 'NAME', 'BALANCE'], ...rows]))
}

function toDocument({ id, name, balanceMicros }: Workspace): object {
  return { id, name, balance_micros: balanceMicros }
}
