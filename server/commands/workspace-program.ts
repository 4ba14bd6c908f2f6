import type { Command } from 'commander'
import { actCommand, command, group } from './program.ts'

/** `router workspace …`; what a command needs is imported when it is called. */
export function workspaceProgram(): Command {
  const create = actCommand('create', 'create a workspace with an empty balance')
    .requiredOption('--name <name>', 'its name')
    .option('--cell <name>', 'the cell that it is to live in; the one with the fewest when left out')
    .action(async (options) => (await import('./workspace.ts')).create(options))
  const list = command('list', 'list the workspaces with their balances and limits')
    .option('--find <text>', 'those with it in their name or in an address of theirs, or with this id')
    .action(async (options) => (await import('./workspace.ts')).list(options))
  const show = command('show', 'show a workspace, what was ever set of its limits, and its ledger')
    .argument('<id>', 'workspace id')
    .option('--limit <n>', 'so many of the newest rows of its ledger', '20')
    .action(async (id, options) => (await import('./workspace.ts')).show(id, options))
  const limits = actCommand('limits', 'give a workspace limits of its own, from the next request on')
    .argument('<id>', 'workspace id')
    .option('--rpm, --requests-per-minute <n>', 'requests per minute of all its keys together')
    .option('--tpm, --tokens-per-minute <n>', 'tokens per minute of all its keys together')
    .option('--no-rpm, --no-requests-per-minute', 'the requests per minute of the configuration file')
    .option('--no-tpm, --no-tokens-per-minute', 'the tokens per minute of the configuration file')
    .action(async (id, options) => (await import('./workspace.ts')).limits(id, options))
  return group('workspace', 'workspaces, their balances and limits', create, list, show, limits)
}
