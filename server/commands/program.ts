import type { Command } from 'commander'
import { createCommand, options } from '#base/command.ts'

/** A command with the options that every command takes. */
export function command(name: string, description: string): Command {
  return createCommand(name, description)
    .option('--config <file>', 'configuration file', 'router.yaml')
    .option(...options.json)
}

/** A command that changes something: who has called it is written down (CONS-51). */
export function actCommand(name: string, description: string): Command {
  return command(name, description).option(
    '--as <name>',
    'who does it, for the audit log (the user of the operating system)',
  )
}

/** A word that only has commands below it. */
export function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const parent = createCommand(name, description)
  for (const each of commands) parent.addCommand(each)
  return parent
}
