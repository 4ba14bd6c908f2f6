import { Command, CommanderError } from 'commander'
import { complainOf, printUsage } from '#base/print.ts'
import { ConfigError } from '../config/error.ts'
import manifest from '../package.json' with { type: 'json' }

/** Exit codes of every command (CMD-08). */
const EXIT = { error: 1, usage: 2, configuration: 4 } as const

// Commands are imported when they are called: `--help` needs no cryptography.
const program = new Command('platform')
  .description('A reference platform gateway: publishes signed evidence and forwards everything else.')
  .version(manifest.version)
  .showHelpAfterError('(--help shows what is possible)')
  .configureOutput({ outputError: printUsage })
  .exitOverride()

program
  .command('run')
  .description('sign, publish and forward until SIGTERM or Ctrl-C')
  .option('--config <file>', 'configuration file', 'platform.yaml')
  .option('--check', 'check the configuration and the deployment, and stop')
  .option('--with-parent', 'stop when standard input closes: the starter has gone')
  .option('--json', 'print one JSON document to stdout')
  .action(async (options) => (await import('./commands/run.ts')).run(options))

try {
  await program.parseAsync()
} catch (thrown) {
  process.exitCode = report(thrown)
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage
  complainOf(thrown)
  return thrown instanceof ConfigError ? EXIT.configuration : EXIT.error
}
