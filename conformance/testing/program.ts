import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Serving, startServing } from '#base/starter.ts'

const HOME = dirname(dirname(import.meta.dirname))

/** A program that serves, and the document that it printed then. */
export type Program = Serving<Readonly<Record<string, unknown>>>

/** Starts one of the commands in bin/ with a configuration file. */
export function startCommand(
  name: string,
  config: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  return startServing({ file: join(HOME, 'bin', name), args: ['run', '--config', config], env, cwd: HOME })
}

/** Builds the page that the router serves, where its sources have changed. */
export async function buildConsolePage(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(HOME, 'console/build/main.ts')], { cwd: HOME })
}

/** Starts the scripted backend on free ports. */
export function startBackend(): Promise<Program> {
  const entry = join(HOME, 'conformance/stand-ins/backend/main.ts')
  const ports = ['--port', '0', '--control-port', '0', '--pace', '1']
  return startServing({ file: process.execPath, args: [entry, ...ports], cwd: HOME })
}
