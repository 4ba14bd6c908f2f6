import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const BIN = join(import.meta.dirname, '..', '..', 'bin')

/** A program of `bin/` that serves, in a process of its own. */
export interface Program<Ready> {
  /** What it printed once it served. */
  readonly ready: Ready
  /** The lines of its log so far. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

/** Starts a program with a configuration; it ends with this process, whatever happens to it. */
export async function startProgram<Ready>(
  name: string,
  folder: string,
  config: object,
): Promise<Program<Ready>> {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(join(BIN, name), ['run', '--config', file, '--json', '--with-parent'])
  const exited = once(child, 'exit')
  const log: string[] = []
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
  }
  let text = ''
  for await (const piece of child.stdout) {
    text += piece
    const ready = parseWhole(text)
    if (ready !== undefined) return { ready: ready as Ready, log, stop }
  }
  throw new Error(`${name} ended before it was ready:\n${log.join('\n')}`)
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
