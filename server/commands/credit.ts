import { creditWorkspace } from '../administration/credit.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withCells } from './cells.ts'
import { formatDollars, parseDollars } from './dollars.ts'
import { print } from './output.ts'
import { parseText, UsageError } from './usage.ts'

/** What `router credit` takes. */
export interface CreditOptions extends ActOptions {
  readonly reason: string
  readonly idempotencyKey?: string
}

/** As the console has it. */
const IDEMPOTENCY_KEY = /^[A-Za-z0-9_-]{1,64}$/

/** `router credit W DOLLARS --reason TEXT`: a top-up, or an adjustment where the amount is negative. */
export async function credit(workspaceId: string, dollars: string, options: CreditOptions): Promise<void> {
  const amountMicros = parseDollars('The amount', dollars)
  if (amountMicros === 0n) throw new UsageError('The amount must not be zero.')
  const reason = parseText('--reason', options.reason)
  const idempotencyKey = parseIdempotencyKey(options.idempotencyKey)
  const actor = actorOf(options)
  const posted = await withCells(options.config, async (cells) =>
    creditWorkspace(await cells.ofWorkspace(workspaceId), actor, {
      workspaceId,
      amountMicros,
      reason,
      idempotencyKey,
    }),
  )
  if (!posted) throw new Error(`There is no workspace ${workspaceId}. See: router workspace list`)
  const document = {
    id: posted.id,
    workspace_id: workspaceId,
    kind: posted.kind,
    amount_micros: amountMicros,
    balance_micros: posted.balanceAfterMicros,
    description: posted.description,
  }
  print(options, document, [
    `${formatDollars(amountMicros)} posted as ${posted.id}; the balance is ${formatDollars(posted.balanceAfterMicros)}.`,
  ])
}

function parseIdempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || IDEMPOTENCY_KEY.test(text)) return text
  throw new UsageError('--idempotency-key must be 1 to 64 letters, digits, dashes or _.')
}
