import type { Command } from 'commander'
import { actCommand, command, group } from './program.ts'

/** `router invitation …`; what a command needs is imported when it is called. */
export function invitationProgram(): Command {
  const issue = actCommand('issue', 'issue a code that brings credit to a new account')
    .requiredOption('--grant <dollars>', 'credit of each account that redeems it')
    .option('--max-redemptions <n>', 'how many accounts may redeem it (one)')
    .option('--expires <time>', 'ISO 8601 time from which it is no good')
    .option('--note <text>', 'for you alone')
    .option('--description <text>', 'what it is for, shown to whoever looks it up')
    .action(async (options) => (await import('./invitation.ts')).issue(options))
  const list = command('list', 'list all invitations and how often they were redeemed').action(
    async (options) => (await import('./invitation.ts')).list(options),
  )
  const withdraw = actCommand('withdraw', 'make a code useless; what it has granted stays')
    .argument('<code>', 'case and separators do not matter')
    .action(async (code, options) => (await import('./invitation.ts')).withdraw(code, options))
  return group('invitation', 'codes that bring credit to new accounts', issue, list, withdraw)
}
