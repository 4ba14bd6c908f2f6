import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { HOME } from './places.ts'

/** How a command ended, and what it said. */
export interface CommandResult {
  readonly code: number | null
  readonly output: string
  readonly problem: string
}

/** Runs one of the project's own commands as an operator would type it, and waits for its end. */
export function runCommand(
  name: 'router' | 'proxy',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return runProgram(join(HOME, 'bin', name), args, env)
}

/** Runs a program of the clone in the clone's folder, and waits for its end. */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(file, [...args], {
    cwd: HOME,
    env: { ...process.env, ...env },
    // In a group of its own: Ctrl-C lets a command that has begun come to its end.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [output, problem, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output, problem }
}
