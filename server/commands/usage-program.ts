import type { Command } from 'commander'
import { command } from './program.ts'

/** `router usage`; what it needs is imported when it is called. */
export function usageProgram(): Command {
  return command('usage', 'sum up tokens and cost by day (UTC), key and model')
    .option('--workspace <id>', 'of this workspace alone')
    .option('--key <id>', 'of this key alone')
    .option('--model <id>', 'of this model alone')
    .option('--from <time>', 'from this day or ISO 8601 time on')
    .option('--to <time>', 'up to this day or time, which does not count any more')
    .option('--csv <file>', 'write the lines to a file instead, as they are read')
    .action(async (options) => (await import('./usage-report.ts')).report(options))
}
