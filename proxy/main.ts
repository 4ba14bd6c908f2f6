import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { UsageError } from './commands/usage.ts'

/** Exit codes of every command; a refusal is 3, which the commands return themselves (interfaces.md). */
const EXIT = { error: 1, usage: 2, configuration: 4 } as const

const CONFIG = ['--config <file>', 'configuration file', 'proxy.yaml'] as const
const JSON_OUTPUT = ['--json', 'print one JSON document to stdout'] as const
const HOSTNAME = [
  '--hostname <name>',
  'hostname that the evidence must be for; a URL’s own by default',
] as const
const ROOT = [
  '--root <file>',
  'PEM file with a trusted root certificate; may be repeated',
  collect,
  [],
] as const

// Halves the start. It lies beside the packages, where nobody can write who could not change the program itself.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'proxy'))

// Commands are imported when they are called: `--help` needs no cryptography.
const program = new Command('proxy')
  .description('A local proxy that verifies a router’s evidence before it forwards anything.')
  .version(manifest.version)
  .showHelpAfterError('(--help shows what is possible)')
  .exitOverride()

program
  .command('run')
  .description('verify, serve and forward until SIGTERM or Ctrl-C')
  .option(...CONFIG)
  .option('--check', 'check the configuration and stop')
  .option('--with-parent', 'stop when standard input closes: the starter has gone')
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/run.ts')).run(options))

program
  .command('verify')
  .description('judge an endpoint, or a bundle that was saved; exit 0 when admitted, 3 when not')
  .argument('<subject>', 'https URL of an endpoint, or a bundle file')
  .option(...HOSTNAME)
  .option(...ROOT)
  .option('--pin <digest>', 'digest of an approved deployment; may be repeated', collect, [])
  .option('--observed-leaf <digest>', 'SHA-256 of the certificate that was seen on the connection')
  .option('--now <time>', 'ISO 8601 time to judge at')
  .option('--max-age <duration>', 'oldest signature accepted, such as 30m or 24h', '24h')
  .option('--accept-producer-asserted', 'take the bundle’s own word for the certificate on the connection')
  .option(...JSON_OUTPUT)
  .action(async (subject, options) => {
    process.exitCode = await (await import('./commands/verify.ts')).verify(subject, options)
  })

program
  .command('discover')
  .description('show what one could pin; nothing is written, and nothing is approved')
  .argument('<url>', 'https URL of an endpoint')
  .option(...HOSTNAME)
  .option(...ROOT)
  .option(...JSON_OUTPUT)
  .action(async (url, options) => {
    process.exitCode = await (await import('./commands/discover.ts')).discover(url, options)
  })

try {
  await program.parseAsync()
} catch (thrown) {
  process.exitCode = report(thrown)
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage
  console.error(thrown instanceof Error ? thrown.message : thrown)
  // Known by its name: its file brings the YAML parser along.
  if (thrown instanceof Error && thrown.name === 'ConfigError') return EXIT.configuration
  return thrown instanceof UsageError ? EXIT.usage : EXIT.error
}
