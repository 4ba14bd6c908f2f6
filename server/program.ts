import type { Command } from 'commander'
import { createCommand, options, runCommand } from '#base/command.ts'
import manifest from '../package.json' with { type: 'json' }
import { cellProgram } from './commands/cell-program.ts'
import { configProgram } from './commands/config-program.ts'
import { invitationProgram } from './commands/invitation-program.ts'
import { keyProgram } from './commands/key-program.ts'
import { actCommand, command, group } from './commands/program.ts'
import { retentionProgram } from './commands/retention-program.ts'
import { upstreamProgram } from './commands/upstream-program.ts'
import { usageProgram } from './commands/usage-program.ts'
import { workspaceProgram } from './commands/workspace-program.ts'

/** The commands as they are spelled; what one needs is imported when it is called: `--help` needs no database driver. */
export function createProgram(): Command {
  const what = 'An OpenAI-compatible router that meters every request against a prepaid balance.'
  const program = createCommand('router', what).version(manifest.version)

  program.addCommand(
    command('run', 'serve the API until SIGTERM or Ctrl-C')
      .option(...options.check)
      .option(...options.withParent)
      .action(async (given) => (await import('./commands/run.ts')).run(given)),
  )

  program.addCommand(workspaceProgram())

  program.addCommand(keyProgram())

  program.addCommand(
    actCommand('credit', 'add dollars to a workspace; a negative amount is an adjustment')
      .argument('<workspace>', 'workspace id')
      .argument('<dollars>', 'up to six decimals')
      .requiredOption('--reason <text>', 'what the ledger row says')
      .option('--idempotency-key <key>', 'the same amount and reason under it again changes nothing')
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

  program.addCommand(cellProgram())

  program.addCommand(usageProgram())

  program.addCommand(retentionProgram())

  program.addCommand(invitationProgram())

  program.addCommand(upstreamProgram())

  program.addCommand(
    command('audit', 'list what administrators have done, newest first; never changed and never taken away')
      .option('--actor <name>', 'of this person alone')
      .option('--act <act>', 'acts of this kind alone, such as workspace_credited')
      .option('--subject <name>', 'about this upstream, or what has this id')
      .option('--from <time>', 'from this day or ISO 8601 time on')
      .option('--to <time>', 'up to this day or time, which does not count any more')
      .option('--limit <n>', 'so many at most', '50')
      .action(async (given) => (await import('./commands/audit.ts')).audit(given)),
  )

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
export function runProgram(args: readonly string[]): Promise<number | undefined> {
  return runCommand(createProgram(), args)
}
