import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { complain, complainOf, printUsage } from '#base/print.ts'
import { ConfigError } from '../config/error.ts'
import manifest from '../package.json' with { type: 'json' }
import { EXIT } from './commands/exit.ts'

const TARGET = ['--target <file>', 'the target file (YAML)'] as const
const GREP = ['--grep <text>', 'only scenarios whose id, title or rules hold this text'] as const
const JSON_OUTPUT = ['--json', 'print one JSON document to stdout'] as const
const ORIGIN = () =>
  new Option('--origin <origin>', 'only scenarios of this provenance').choices(['given', 'chosen'])

// Commands are imported when they are called: `--help` reads no scenario.
const program = new Command('conformance')
  .description('The specification as a program: shows whether a router or a proxy keeps its rules.')
  .version(manifest.version)
  .showHelpAfterError('(--help shows what is possible)')
  .configureOutput({ outputError: printUsage })
  .exitOverride()

program
  .command('run')
  .description('judge a product; exit 0 conformant, 1 failing, 2 error or unreachable, 3 partial')
  .option(...TARGET)
  .option('--verifier <command>', 'for --profile verifier, which needs no target: how it is called')
  .addOption(
    new Option('--profile <profile>', 'the role that is judged')
      .choices(['router', 'proxy', 'platform', 'verifier', 'all'])
      .default('all'),
  )
  .option(...GREP)
  .addOption(ORIGIN())
  .option('--jobs <n>', 'scenarios that run at once', parseCount, 8)
  .option('--seed <n>', 'where random choices come from', parseSeed)
  .option('--slow', 'run scenarios that wait long, too')
  .option('--report-dir <dir>', 'write results.json and junit.xml there')
  .option(...JSON_OUTPUT)
  .action(async (options) => {
    if (options.profile === 'verifier')
      return void (await (await import('./commands/verifier.ts')).runVerifier(options))
    if (options.target === undefined) program.error("error: required option '--target <file>' not specified")
    await (await import('./commands/run.ts')).run(options)
  })

program
  .command('list')
  .description('list the scenarios')
  .option(...GREP)
  .addOption(ORIGIN())
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/list.ts')).list(options))

program
  .command('coverage')
  .description('show which rules have scenarios, and which have none')
  .option('--results <file>', 'results.json of a run: shows the statuses and codes that were provoked')
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/coverage.ts')).coverage(options))

program
  .command('doctor')
  .description('look a target over before it is judged: what can be reached, what is missing')
  .requiredOption(...TARGET)
  .option(...JSON_OUTPUT)
  .action(async (options) => (await import('./commands/doctor.ts')).doctor(options))

try {
  await program.parseAsync()
} catch (thrown) {
  process.exitCode = report(thrown)
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.conformant : EXIT.usage
  const isMistake = thrown instanceof ConfigError
  if (isMistake || !(thrown instanceof Error)) complainOf(thrown)
  else for (const line of (thrown.stack ?? thrown.message).split('\n')) complain(line)
  return isMistake ? EXIT.usage : EXIT.error
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  return Number(text)
}

function parseSeed(text: string): number {
  if (!/^\d{1,10}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of up to 10 digits.')
  return Number(text)
}
