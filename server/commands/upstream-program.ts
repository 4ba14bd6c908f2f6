import type { Command } from 'commander'
import { actCommand, command, group } from './program.ts'

/** `router upstream …`; what a command needs is imported when it is called. */
export function upstreamProgram(): Command {
  const add = actCommand(
    'add',
    'register an external endpoint that the router verifies before it sends anything',
  )
    .argument('<name>', 'its name in models, records and paths')
    .requiredOption('--url <url>', 'its base URL: https, with /v1')
    .option('--hostname <name>', 'the name in its handshake and its evidence, where the URL has another')
    .requiredOption('--root <file...>', 'PEM files of the roots that may sign its evidence')
    .option('--no-leaf-name', 'for platforms whose signing certificates carry no hostname')
    .option(
      '--attested <file>',
      'what is demanded of the hardware that holds a root’s key; nothing when left out',
    )
    .option('--pin <digest...>', 'approved deployments; none is trusted on first use')
    .option('--api-key-env <variable>', 'environment variable that holds the key it asks for')
    .option('--replace', 'register it anew if there is one of this name')
    .action(async (name, options) => (await import('./upstream-add.ts')).add(name, options))
  const pin = actCommand('pin', 'approve deployments, or withdraw the approval; approving lifts a denial')
    .argument('<name>', 'name of the upstream')
    .argument('[digest...]', 'deployments to approve, in any notation')
    .option('--remove <digest...>', 'deployments that are approved no longer')
    .action(async (name, digests, options) => (await import('./upstream.ts')).pin(name, digests, options))
  const enable = actCommand('enable', 'put an upstream back into service, and lift a denial')
    .argument('<name>', 'name of the upstream')
    .action(async (name, options) => (await import('./upstream.ts')).enable(name, options))
  const disable = actCommand('disable', 'take an upstream out of service; what runs there ends at once')
    .argument('<name>', 'name of the upstream')
    .action(async (name, options) => (await import('./upstream.ts')).disable(name, options))
  const attest = actCommand('attest', 'have every router check an upstream now, and lift a denial')
    .argument('<name>', 'name of the upstream')
    .action(async (name, options) => (await import('./upstream.ts')).attest(name, options))
  const list = command(
    'list',
    'list the upstreams, and what administrators and verdicts have said of them',
  ).action(async (options) => (await import('./upstream.ts')).list(options))
  const events = command('events', 'list what has happened to upstreams, newest first')
    .argument('[name]', 'of this upstream alone')
    .option('--limit <n>', 'so many at most', '50')
    .action(async (name, options) => (await import('./upstream.ts')).events(name, options))
  const diff = command('diff', 'compare what an upstream offers now with what is approved; approves nothing')
    .argument('<name>', 'name of the upstream')
    .option('--pin <digest>', 'the approved deployment to compare with (the newest that is kept)')
    .action(async (name, options) => (await import('./upstream-diff.ts')).diff(name, options))
  const rekey = actCommand('rekey', 'store keys under secretsKey that are still under a previous one').action(
    async (options) => (await import('./upstream-rekey.ts')).rekey(options),
  )
  const what = 'external endpoints that the router verifies'
  return group('upstream', what, add, pin, enable, disable, attest, diff, list, events, rekey)
}
