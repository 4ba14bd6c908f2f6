import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Serving, startServing } from '#base/starter.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')

/** A program of `bin/` that serves, in a process of its own. */
export type Program<Ready> = Serving<Ready>

/** Starts a program with a configuration; it ends with this process, whatever happens to it. */
export function startProgram<Ready>(name: string, folder: string, config: object): Promise<Program<Ready>> {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, JSON.stringify(config))
  return startServing({ file: join(BIN, name), args: ['run', '--config', file] })
}
