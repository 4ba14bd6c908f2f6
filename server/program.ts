import { Command, CommanderError } from 'commander'
import { complainOf, printUsage } from '#base/print.ts'
import { ConfigError } from '../config/error.ts'
import manifest from '../package.json' with { type: 'json' }
import { configProgram } from './commands/config-program.ts'
import { invitationProgram } from './commands/invitation-program.ts'
import { keyProgram } from './commands/key-program.ts'
import { command, group } from './commands/program.ts'
import { upstreamProgram } from './commands/upstream-program.ts'
import { UsageError } from './commands/usage.ts'
import { usageProgram } from './commands/usage-program.ts'
import { workspaceProgram } from './commands/workspace-program.ts'

/** Exit codes of every command (CMD-08). */
const EXIT = { error: 1, usage: 2, configuration: 4 } as const

/** The commands as they are spelled; what one needs is imported when it is called: `--help` needs no database driver. */
export function createProgram(): Command {
  const program = new Command('router')
    .description('An OpenAI-compatible router that meters every request against a prepaid balance.')
    .version(manifest.version)
    .showHelpAfterError('(--help shows what is possible)')
    .configureOutput({ outputError: printUsage })
    .exitOverride()

  program.addCommand(
    command('run', 'serve the API until SIGTERM or Ctrl-C')
      .option('--check', 'check the configuration and stop')
      .option('--with-parent', 'stop when standard input closes: the starter has gone')
      .action(async (options) => (await import('./commands/run.ts')).run(options)),
  )

  program.addCommand(workspaceProgram())

  program.addCommand(keyProgram())

  program.addCommand(
    command('credit', 'add dollars to a workspace; a negative amount is an adjustment')
      .argument('<workspace>', 'workspace id')
      .argument('<dollars>', 'up to six decimals')
      .requiredOption('--reason <text>', 'what the ledger row says')
      // A negative amount looks like an option.
      .allowUnknownOption()
      .action(async (id, dollars, options) =>
        (await import('./commands/credit.ts')).credit(id, dollars, options),
      ),
  )

  program.addCommand(
    group(
      'ledger',
      'the ledger',
      command('verify', 'prove that ledger, records and balances agree; exit 1 when they do not').action(
        async (options) => (await import('./commands/ledger.ts')).verify(options),
      ),
    ),
  )

  program.addCommand(usageProgram())

  program.addCommand(invitationProgram())

  program.addCommand(upstreamProgram())

  program.addCommand(
    group(
      'db',
      'the database',
      command('migrate', 'bring the tables up to date').action(async (options) =>
        (await import('./commands/db.ts')).migrate(options),
      ),
    ),
  )

  program.addCommand(configProgram())

  return program
}

/** Runs the command that the arguments name. Gives the exit code; undefined where the command has set it itself. */
export async function runProgram(args: readonly string[]): Promise<number | undefined> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return undefined
  } catch (thrown) {
    return report(thrown)
  }
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage
  complainOf(thrown)
  if (thrown instanceof ConfigError) return EXIT.configuration
  return thrown instanceof UsageError ? EXIT.usage : EXIT.error
}
