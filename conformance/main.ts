import { InvalidArgumentError, Option } from 'commander'
import { createCommand, options, runCommand } from '#base/command.ts'
import { complain, complainOf } from '#base/print.ts'
import { EXIT } from './commands/exit.ts'
import { suiteVersion } from './lock/lock.ts'

const TARGET = ['--target <file>', 'the target file (YAML)'] as const
const GREP = [
  '--grep <text>',
  'only scenarios whose id, title or rules hold this text; may be repeated',
  collect,
] as const
const RULE = ['--rule <id>', 'only scenarios that count for this rule; may be repeated', collect] as const
/** How long what is still open may hold up the end (ours). */
const LINGER_MS = 2_000
const ORIGIN = () =>
  new Option('--origin <origin>', 'only scenarios of this provenance').choices(['given', 'chosen'])

// Commands are imported when they are called: `--help` reads no scenario.
const what = 'The specification as a program: shows whether a router or a proxy keeps its rules.'
const program = createCommand('conformance', what).version(suiteVersion)

program
  .command('init')
  .description('write a target file that says what each of its lines is for')
  .argument('[file]', 'where', 'target.yaml')
  .action(async (file) => (await import('./commands/init.ts')).init(file))

program
  .command('backend')
  .description('start the scripted model, which a router under test is to be served by')
  .helpOption(false)
  .allowUnknownOption()
  .argument('[options...]', 'see backend --help')
  .action(async (given) => (await import('./stand-ins/backend/run.ts')).runBackend(given))

program
  .command('run')
  .description('judge a product; exit 0 conformant, 1 failing, 2 error or unreachable, 3 partial')
  .option(...TARGET)
  .option('--verifier <command>', 'for --profile verifier, which needs no target then: how it is called')
  .addOption(
    new Option('--profile <profile>', 'the role that is judged')
      .choices(['router', 'proxy', 'platform', 'console', 'verifier', 'all'])
      .default('all'),
  )
  .option(...GREP)
  .option(...RULE)
  .addOption(ORIGIN())
  .option('--jobs <n>', 'scenarios that run at once', parseCount, 8)
  .option('--seed <n>', 'where random choices come from', parseSeed)
  .option('--slow', 'run scenarios that wait long, too')
  .option('--report-dir <dir>', 'write results.json, report.html, report.md and junit.xml there')
  .option(...options.json)
  .action(async (given) => {
    if (given.profile === 'verifier')
      return void (await (await import('./commands/verifier.ts')).runVerifier(given))
    if (given.target === undefined) program.error("error: required option '--target <file>' not specified")
    await (await import('./commands/run.ts')).run(given)
  })

program
  .command('list')
  .description('list the scenarios')
  .option(...GREP)
  .option(...RULE)
  .addOption(ORIGIN())
  .option(...options.json)
  .action(async (given) => (await import('./commands/list.ts')).list(given))

program
  .command('coverage')
  .description('show which rules have scenarios, and which have none')
  .option('--results <file>', 'results.json of a run: shows the statuses and codes that were provoked')
  .option(...options.json)
  .action(async (given) => (await import('./commands/coverage.ts')).coverage(given))

program
  .command('doctor')
  .description('look a target over before it is judged: what can be reached, what is missing')
  .requiredOption(...TARGET)
  .option(...options.json)
  .action(async (given) => (await import('./commands/doctor.ts')).doctor(given))

program
  .command('replay')
  .description('run one scenario and show all that was said on the wire')
  .argument('<scenario>', 'its id, as list tells it')
  .requiredOption(...TARGET)
  .addOption(
    new Option('--profile <profile>', 'where')
      .choices(['router', 'proxy', 'platform', 'console', 'all'])
      .default('all'),
  )
  .option('--seed <n>', 'where random choices come from', parseSeed)
  .action(async (id, given) => (await import('./commands/replay.ts')).replay(id, given))

program
  .command('report')
  .description('write what a run has found in another form')
  .argument('<results>', 'results.json of a run')
  .addOption(
    new Option('--form <form>', 'as what')
      .choices(['text', 'sentence', 'markdown', 'html', 'junit', 'badge'])
      .default('text'),
  )
  .action(async (file, given) => (await import('./commands/report.ts')).report(file, given))

program
  .command('diff')
  .description(
    'compare two runs rule by rule; exit 1 when a rule was kept and is not, or is newly broken by as much testing as before',
  )
  .argument('<before>', 'results.json of a run')
  .argument('<after>', 'results.json of a later one')
  .option(...options.json)
  .action(async (before, after, given) => (await import('./commands/diff.ts')).diff(before, after, given))

program
  .command('selftest')
  .description(
    'prove the suite: plant faults into the reference, which it has to find; in the repository alone',
  )
  .helpOption(false)
  .allowUnknownOption()
  .argument('[options...]', 'see selftest --help')
  .action(async (given) => (await import('./commands/selftest.ts')).selftest(given))

// What nobody catches is the suite's own fault, and never a verdict on a product; a run has its own ears.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (thrown: unknown) => {
    if (process.listenerCount(event) > 1) return
    tell(thrown)
    process.exit(EXIT.error)
  })

const codes = { error: EXIT.error, usage: EXIT.usage, configuration: EXIT.usage }
const code = await runCommand(program, process.argv.slice(2), codes, tell)
if (code !== undefined) process.exitCode = code
// A scenario whose time was up may still hold a socket.
setTimeout(() => process.exit(), LINGER_MS).unref()

/** A fault of the suite itself is told with where it happened. */
function tell(thrown: unknown): void {
  const isTold = thrown instanceof Error && ['ConfigError', 'UsageError'].includes(thrown.name)
  if (!(thrown instanceof Error) || isTold) complainOf(thrown)
  else for (const line of (thrown.stack ?? thrown.message).split('\n')) complain(line)
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
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
