import type { Command } from 'commander'
import { createCommand, options } from '#base/command.ts'
import { actCommand, command, group } from './program.ts'

const cell = ['--cell <name>', 'the cell whose months are meant; home when left out'] as const

/** `router retention …`; what a command needs is imported when it is called. */
export function retentionProgram(): Command {
  const list = command('list', 'list the months of records and ledger, and what has become of them')
    .option(...cell)
    .action(async (given) => (await import('./retention.ts')).list(given))
  const write = actCommand('export', 'write a closed month to a folder of its name')
    .option(...cell)
    .argument('<month>', 'such as 2026-11')
    .requiredOption('--to <folder>', 'where that folder is made')
    .action(async (month, given) => (await import('./retention.ts')).write(month, given))
  const verify = createCommand(
    'verify',
    'prove exports without a database; exit 1 when anything does not add up',
  )
    .argument('<folders...>', 'months that were exported; several are held against each other')
    .option(...options.json)
    .action(async (folders, given) => (await import('./retention-verify.ts')).verify(folders, given))
  const detach = actCommand(
    'detach',
    'take an exported month out of the tables; its rows stay in tables of their own',
  )
    .option(...cell)
    .argument('<month>', 'such as 2026-11; all earlier ones come first')
    .requiredOption('--export <folder>', 'the month’s export, which is proved first')
    .action(async (month, given) => (await import('./retention.ts')).detach(month, given))
  const drop = actCommand('drop', 'drop the rows of a detached month, for good')
    .option(...cell)
    .argument('<month>', 'such as 2026-11')
    .requiredOption('--export <folder>', 'the month’s export, which is proved first')
    .action(async (month, given) => (await import('./retention.ts')).drop(month, given))
  return group('retention', 'months that leave the database', list, write, verify, detach, drop)
}
