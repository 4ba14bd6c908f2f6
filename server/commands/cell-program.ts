import type { Command } from 'commander'
import { actCommand, group } from './program.ts'

/** `router cell …`; what a command needs is imported when it is called. */
export function cellProgram(): Command {
  const move = actCommand(
    'move',
    'have a workspace live in another cell; again goes on where it was broken off',
  )
    .argument('<workspace>', 'workspace id')
    .requiredOption('--to <cell>', 'the cell that it is to live in')
    .option(
      '--pause <seconds>',
      'for so long at most its requests are refused while those that run end',
      '60',
    )
    .option(
      '--source-url-env <name>',
      'the variable with the address of the cell that it leaves, where the other cell’s server needs another one',
    )
    .option('--cancel', 'give the move up; the workspace stays where it is')
    .action(async (id, options) => (await import('./cell-move.ts')).move(id, options))
  return group('cell', 'the databases in which workspaces live', move)
}
