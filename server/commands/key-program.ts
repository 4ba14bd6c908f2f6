import type { Command } from 'commander'
import { actCommand, command, group } from './program.ts'

/** `router key …`; what a command needs is imported when it is called. */
export function keyProgram(): Command {
  const create = actCommand('create', 'create a key; its text is shown this once')
    .requiredOption('--workspace <id>', 'the workspace that pays')
    .requiredOption('--name <name>', '1 to 64 characters')
    .action(async (options) => (await import('./key.ts')).create(options))
  const list = command('list', 'list the keys of a workspace, revoked and expired ones too')
    .requiredOption('--workspace <id>', 'the workspace that pays')
    .action(async (options) => (await import('./key.ts')).list(options))
  const revoke = actCommand('revoke', 'make a key unusable for good, from the next request on')
    .argument('<id>', 'key id')
    .action(async (id, options) => (await import('./key.ts')).revoke(id, options))
  const update = actCommand('update', 'change what is named and nothing else')
    .argument('<id>', 'key id')
    .option('--name <name>', '1 to 64 characters')
    .action(async (id, options) => (await import('./key.ts')).update(id, options))
  for (const [flags, what, without] of settings) {
    create.option(flags, what)
    update.option(flags, what).option(`--no-${nameOf(flags)}`, without)
  }
  return group('key', 'API keys', create, list, revoke, update)
}

/** Flags, what they set, and what it means to take the setting away. */
const settings = [
  ['--models <ids>', 'only these models, separated by commas', 'every model'],
  ['--rpm <n>', 'requests per minute', 'the default requests per minute'],
  ['--tpm <n>', 'tokens per minute', 'the default tokens per minute'],
  ['--spend-limit <dollars>', 'most the key may spend in all', 'no spend limit'],
  ['--expires <time>', 'ISO 8601 time from which the key is refused', 'no expiry'],
] as const

function nameOf(flags: string): string {
  return flags.slice('--'.length, flags.indexOf(' '))
}
