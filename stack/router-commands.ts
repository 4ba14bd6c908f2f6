import { runCommand } from './commands.ts'
import { StartFailure } from './failure.ts'
import type { Places } from './places.ts'

/** A workspace as the router's commands print it. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly balance_micros: number
}

/** A new key; this is the only time its text is seen. */
export interface NewKey {
  readonly id: string
  readonly api_key: string
}

/** The router's own commands, as an operator would type them. */
export interface RouterCommands {
  listWorkspaces(): Promise<readonly Workspace[]>
  createKey(workspaceId: string, name: string): Promise<NewKey>
  credit(workspaceId: string, dollars: string, reason: string): Promise<{ readonly balance_micros: number }>
}

/** Makes the commands for one stack's configuration and database. */
export function createRouterCommands({ routerConfig }: Places, databaseUrl: string): RouterCommands {
  async function run<Answer>(...args: readonly string[]): Promise<Answer> {
    const { code, output, problem } = await runCommand(
      'router',
      [...args, '--json', '--config', routerConfig],
      { DATABASE_URL: databaseUrl },
    )
    const typed = `bin/router ${args.join(' ')}`
    if (code !== 0)
      throw new StartFailure(`${typed} failed with exit code ${code}.`, problem.trimEnd().split('\n'))
    try {
      return JSON.parse(output) as Answer
    } catch (cause) {
      throw new StartFailure(`${typed} printed no JSON.`, output.split('\n'), cause)
    }
  }

  return {
    listWorkspaces: () => run('workspace', 'list'),
    createKey: (workspaceId, name) => run('key', 'create', '--workspace', workspaceId, '--name', name),
    credit: (workspaceId, dollars, reason) => run('credit', workspaceId, dollars, '--reason', reason),
  }
}
