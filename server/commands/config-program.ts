import type { Command } from 'commander'
import { command, group } from './program.ts'

/** `router config …`; what a command needs is imported when it is called. */
export function configProgram(): Command {
  const check = command('check', 'tell every mistake of the file at once; exit 4 when there is one').action(
    async (options) => (await import('./config.ts')).check(options),
  )
  const reload = command(
    'reload',
    'have every router on the database read its file anew; exit 4 when one refuses, 1 when one is silent',
  ).action(async (options) => (await import('./config-reload.ts')).reload(options))
  const status = command('status', 'list which router runs which version of the configuration').action(
    async (options) => (await import('./config-status.ts')).status(options),
  )
  return group('config', 'the configuration file', check, reload, status)
}
