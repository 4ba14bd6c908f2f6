import { postEntry } from '../metering/ledger.ts'
import { withDatabase } from './database.ts'
import { formatDollars, parseDollars } from './dollars.ts'
import { type CommonOptions, print } from './output.ts'
import { parseText, UsageError } from './usage.ts'

/** `router credit W DOLLARS --reason TEXT`: a top-up, or an adjustment where the amount is negative. */
export async function credit(
  workspaceId: string,
  dollars: string,
  options: CommonOptions & { readonly reason: string },
): Promise<void> {
  const amountMicros = parseDollars('The amount', dollars)
  if (amountMicros === 0n) throw new UsageError('The amount must not be zero.')
  const kind = amountMicros > 0n ? 'top_up' : 'adjustment'
  const description = parseText('--reason', options.reason)
  const entry = { workspaceId, kind, amountMicros, description } as const
  const posted = await withDatabase(options.config, (sql) => postEntry(sql, entry))
  if (!posted) throw new Error(`There is no workspace ${workspaceId}. See: router workspace list`)
  const document = {
    id: posted.id,
    workspace_id: workspaceId,
    kind,
    amount_micros: amountMicros,
    balance_micros: posted.balanceAfterMicros,
    description,
  }
  print(options, document, [
    `${formatDollars(amountMicros)} posted as ${posted.id}; the balance is ${formatDollars(posted.balanceAfterMicros)}.`,
  ])
}
