import { Command } from 'commander'
import { printUsage } from '#base/print.ts'

const CONFIG = ['--config <file>', 'configuration file', 'router.yaml'] as const
const JSON_OUTPUT = ['--json', 'print one JSON document to stdout'] as const

/** A command with the options that every command takes. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option(...CONFIG)
    .option(...JSON_OUTPUT)
    .copyInheritedSettings(base)
}

/** A word that only has commands below it. */
export function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const parent = new Command(name).description(description).copyInheritedSettings(base)
  for (const each of commands) parent.addCommand(each)
  return parent
}

/** What a mistake in the arguments is told, and that it is thrown: the caller owns the exit code. */
const base = new Command()
  .showHelpAfterError('(--help shows what is possible)')
  .configureOutput({ outputError: printUsage })
  .exitOverride()
