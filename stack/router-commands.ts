import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { StartFailure } from './failure.ts'
import { HOME, type Places } from './places.ts'

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
  createWorkspace(name: string): Promise<Workspace>
  createKey(workspaceId: string, name: string): Promise<NewKey>
  credit(workspaceId: string, dollars: string, reason: string): Promise<{ readonly balance_micros: number }>
}

/** Makes the commands for one stack's configuration and database. */
export function createRouterCommands({ routerConfig }: Places, databaseUrl: string): RouterCommands {
  async function run<Answer>(...args: readonly string[]): Promise<Answer> {
    const child = spawn(join(HOME, 'bin/router'), [...args, '--json', '--config', routerConfig], {
      cwd: HOME,
      env: { ...process.env, DATABASE_URL: databaseUrl },
      // In a group of its own: Ctrl-C lets a command that has begun come to its end.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [output, problem, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
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
    createWorkspace: (name) => run('workspace', 'create', '--name', name),
    createKey: (workspaceId, name) => run('key', 'create', '--workspace', workspaceId, '--name', name),
    credit: (workspaceId, dollars, reason) => run('credit', workspaceId, dollars, '--reason', reason),
  }
}
