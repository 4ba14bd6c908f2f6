import type { Command } from 'commander'
import { createCommand, options, runCommand } from '#base/command.ts'
import { SHELLS } from '#base/completion.ts'
import manifest from '../package.json' with { type: 'json' }

const CONFIG = ['--config <file>', 'configuration file', 'proxy.yaml'] as const
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
const ENDPOINT = [
  '--endpoint <name>',
  'endpoint of the configuration; needed when there are several',
] as const
const ADMIN = ['--admin <address>', 'address of the admin listener; the configuration’s by default'] as const
const LEAF_NAME = ['--no-leaf-name', 'for platforms whose signing certificates carry no hostname'] as const
const FORCE = ['--force', 'replace a file that is there already'] as const
const KEY_ENV = [
  '--api-key-env <name>',
  'environment variable that holds the key to read records with',
] as const

/** The commands as they are spelled; what one of them needs is imported when it is called: `--help` needs no cryptography. */
export function createProgram(): Command {
  const what = 'A local proxy that verifies a router’s evidence before it forwards anything.'
  const program = createCommand('proxy', what).version(manifest.version)

  program
    .command('run')
    .description('verify, serve and forward until SIGTERM or Ctrl-C')
    .option(...CONFIG)
    .option(...options.check)
    .option(...options.withParent)
    .option(...options.json)
    .action(async (given) => (await import('./commands/run.ts')).run(given))

  program
    .command('init')
    .description('write a first configuration, once you have seen what is deployed and have said yes')
    .argument('[url]', 'base URL of the endpoint; asked for when left out')
    .option(...CONFIG)
    .option(...HOSTNAME)
    .option(...ROOT)
    .option(...LEAF_NAME)
    .option('--yes', 'ask nothing; needs the URL and --root')
    .option(...options.json)
    .action(async (url, given) => {
      process.exitCode = await (await import('./commands/init.ts')).init(url, given)
    })

  program
    .command('verify')
    .description('judge an endpoint, or a saved bundle or capsule; exit 0 when admitted, 3 when not')
    .argument('<subject>', 'https URL of an endpoint, a bundle file or a capsule')
    .option(...HOSTNAME)
    .option(...ROOT)
    .option(...LEAF_NAME)
    .option(
      '--attested <file>',
      'YAML file with `measurements`, one of which the hardware of the root must fit',
    )
    .option('--pin <digest>', 'digest of an approved deployment; may be repeated', collect, [])
    .option(
      '--policy <file|expression>',
      'CEL condition on `evidence`, `hostname`, `digest` and `issuedAt`; may be repeated, and each must allow',
      collect,
      [],
    )
    .option('--observed-leaf <digest>', 'SHA-256 of the certificate that was seen on the connection')
    .option('--now <time>', 'ISO 8601 time to judge at')
    .option('--max-age <duration>', 'oldest signature accepted, such as 30m or 24h', '24h')
    .option('--accept-producer-asserted', 'take the bundle’s own word for the certificate on the connection')
    .option(...options.json)
    .action(async (subject, given) => {
      process.exitCode = await (await import('./commands/verify.ts')).verify(subject, given)
    })

  program
    .command('discover')
    .description(
      'show what one could pin; nothing is approved, and nothing is written but what --save asks for',
    )
    .argument('<url>', 'https URL of an endpoint')
    .option(...HOSTNAME)
    .option(...ROOT)
    .option('--save <file>', 'keep the bundle in a file, byte for byte as it came')
    .option(...FORCE)
    .option(...options.json)
    .action(async (url, given) => {
      process.exitCode = await (await import('./commands/discover.ts')).discover(url, given)
    })

  program
    .command('show')
    .description('show what is deployed, whole, and what of it was verified; exit 3 when it does not hold')
    .argument('<subject>', 'https URL of an endpoint, a bundle file, or a digest that the proxy keeps')
    .option(...HOSTNAME)
    .option(...ROOT)
    .option(...LEAF_NAME)
    .option(...CONFIG)
    .option('--raw', 'print the snapshot as it was signed, byte for byte')
    .option('--force', 'with --raw, write to a terminal as well')
    .option(...options.json)
    .action(async (subject, given) => {
      process.exitCode = await (await import('./commands/show.ts')).show(subject, given)
    })

  const pin = program.command('pin').description('show, change and compare what is approved')

  pin
    .command('list')
    .description('show the pins of each endpoint')
    .option(...CONFIG)
    .option(...ENDPOINT)
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = (await import('./commands/pin.ts')).pinList(given)
    })

  pin
    .command('add')
    .description(
      'approve of a deployment; a URL or a bundle is verified first, a digest is taken at your word',
    )
    .argument('<subject>', 'https URL of the endpoint, a bundle file, or a digest')
    .option(...CONFIG)
    .option(...ENDPOINT)
    .option(...options.json)
    .action(async (subject, given) => {
      process.exitCode = await (await import('./commands/pin.ts')).pinAdd(subject, given)
    })

  pin
    .command('remove')
    .description('withdraw an approval; the last one stays')
    .argument('<digest>', 'the pin, in any notation')
    .option(...CONFIG)
    .option(...ENDPOINT)
    .option(...options.json)
    .action(async (digest, given) => {
      process.exitCode = (await import('./commands/pin.ts')).pinRemove(digest, given)
    })

  pin
    .command('diff')
    .description('tell what differs between two snapshots: images, configuration, resources')
    .argument('<before>', 'https URL of an endpoint, a bundle file, or a digest that the proxy keeps')
    .argument('<after>', 'the same')
    .option(...CONFIG)
    .option(...options.json)
    .action(async (before, after, given) => {
      process.exitCode = await (await import('./commands/pin-diff.ts')).pinDiff(before, after, given)
    })

  program
    .command('status')
    .description('ask the running proxy; exit 0 when every endpoint is admitted, 3 when not')
    .option(...CONFIG)
    .option(...ADMIN)
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = await (await import('./commands/status.ts')).status(given)
    })

  program
    .command('attest')
    .description('have the running proxy check an endpoint anew; exit 0 when it is admitted, 3 when not')
    .option(...CONFIG)
    .option('--endpoint <name>', 'endpoint to check; all by default')
    .option(...ADMIN)
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = await (await import('./commands/attest.ts')).attest(given)
    })

  program
    .command('doctor')
    .description('find out why an endpoint is not admitted; exit 3 when it is not')
    .option(...CONFIG)
    .option(...ENDPOINT)
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = await (await import('./commands/doctor.ts')).doctor(given)
    })

  program
    .command('journal')
    .description('what the proxy remembers: verdicts, denials, and generations with their cost')
    .command('verify')
    .description(
      'walk the chain of hashes; exit 1 when a line was changed, removed or moved, or the end cut off',
    )
    .option(...CONFIG)
    .option('--file <file>', 'journal to look at; the configuration’s by default')
    .option('--head <hash>', 'hash of the last line as it was noted before')
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = await (await import('./commands/journal.ts')).journalVerify(given)
    })

  program
    .command('reconcile')
    .description('compare the journal with the router’s records and ledger; exit 1 when they differ')
    .requiredOption(...KEY_ENV)
    .option(...CONFIG)
    .option(...ENDPOINT)
    .option('--since <time>', 'only generations from this ISO 8601 time on')
    .option(...options.json)
    .action(async (given) => {
      process.exitCode = await (await import('./commands/reconcile.ts')).reconcile(given)
    })

  program
    .command('capsule')
    .description('write one file with everything that a generation’s admission rests on, for `proxy verify`')
    .argument('<generation>', 'id of the generation')
    .option(...CONFIG)
    .option(...KEY_ENV)
    .option('--out <file>', 'file to write; <generation>.capsule.json by default')
    .option(...options.json)
    .action(async (generation, given) => {
      process.exitCode = await (await import('./commands/capsule.ts')).capsule(generation, given)
    })

  program
    .command('completion')
    .description(
      'print a script that completes commands and options: source it, or put it where your shell looks',
    )
    .argument('<shell>', SHELLS.join(' or '))
    .option('--command <name>', 'what the command is called where it is installed', 'proxy')
    .option(...options.json)
    .action(async (shell, given) =>
      (await import('./commands/completion.ts')).completion(program, shell, given),
    )

  return program
}

/** Runs the command that the arguments name. Gives the exit code; undefined where the command has set it itself. */
export function runProgram(args: readonly string[]): Promise<number | undefined> {
  return runCommand(createProgram(), args)
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
