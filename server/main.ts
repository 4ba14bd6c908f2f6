import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/load.ts'
import manifest from '../package.json' with { type: 'json' }
import { UsageError } from './commands/usage.ts'

/** Exit codes of every command (interfaces.md). */
const EXIT = { error: 1, usage: 2, configuration: 4 } as const

const CONFIG = ['--config <file>', 'configuration file', 'router.yaml'] as const
const JSON_OUTPUT = ['--json', 'print one JSON document to stdout'] as const

// Commands are imported when they are called: `--help` needs no database driver.
const program = new Command('router')
  .description('An OpenAI-compatible router that meters every request against a prepaid balance.')
  .version(manifest.version)
  .showHelpAfterError('(--help shows what is possible)')
  .exitOverride()

program
  .command('run')
  .description('serve the API until SIGTERM or Ctrl-C')
  .option(...CONFIG)
  .option('--check', 'check the configuration and stop')
  .option('--with-parent', 'stop when standard input closes: the starter has gone')
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/run.ts')).run(options))

const workspace = program.command('workspace').description('workspaces and their balances')
workspace
  .command('create')
  .description('create a workspace with an empty balance')
  .requiredOption('--name <name>', 'its name')
  .option(...CONFIG)
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/workspace.ts')).create(options))
workspace
  .command('list')
  .description('list the workspaces with their balances')
  .option(...CONFIG)
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/workspace.ts')).list(options))

const key = program.command('key').description('API keys')
key
  .command('create')
  .description('create a key; its text is shown this once')
  .requiredOption('--workspace <id>', 'the workspace that pays')
  .requiredOption('--name <name>', '1 to 64 characters')
  .option('--models <ids>', 'only these models, separated by commas')
  .option('--rpm <n>', 'requests per minute')
  .option('--tpm <n>', 'tokens per minute')
  .option('--spend-limit <dollars>', 'most the key may spend in all')
  .option('--expires <time>', 'ISO 8601 time from which the key is refused')
  .option(...CONFIG)
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/key.ts')).create(options))

program
  .command('credit')
  .description('add dollars to a workspace; a negative amount is an adjustment')
  .argument('<workspace>', 'workspace id')
  .argument('<dollars>', 'up to six decimals')
  .requiredOption('--reason <text>', 'what the ledger row says')
  .option(...CONFIG)
  .option(...JSON_OUTPUT)
  // A negative amount looks like an option.
  .allowUnknownOption()
  .action(async (id, dollars, options) => (await import('./commands/credit.ts')).credit(id, dollars, options))

program
  .command('ledger')
  .description('the ledger')
  .command('verify')
  .description('prove that ledger, records and balances agree; exit 1 when they do not')
  .option(...CONFIG)
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/ledger.ts')).verify(options))

try {
  await program.parseAsync()
} catch (thrown) {
  process.exitCode = report(thrown)
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage
  console.error(thrown instanceof Error ? thrown.message : thrown)
  if (thrown instanceof ConfigError) return EXIT.configuration
  return thrown instanceof UsageError ? EXIT.usage : EXIT.error
}
