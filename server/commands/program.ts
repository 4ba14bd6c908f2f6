import type { Command } from 'commander'
import { createCommand, options } from '#base/command.ts'

/** A command with the options that every command takes. */
export function command(name: string, description: string): Command {
  return createCommand(name, description)
    .option('--config <file>', 'configuration file', 'router.yaml')
    .option(...options.json)
}

/** A word that only has commands below it. */
export function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const parent = createCommand(name, description)
  for (const each of commands) parent.addCommand(each)
  return parent
}
