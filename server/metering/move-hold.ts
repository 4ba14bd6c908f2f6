import type { Sql } from '../store/connection.ts'
import type { ServedBy } from './generation.ts'

/**
 * Has a hold name another model, before that is asked: whoever settles it then, after a crash too, records the one that
 * served and its prices. What is held stays. Resolves whether the hold was still there.
 */
export async function moveHold(
  sql: Sql,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  { model, endpoint, evidenceDigest, pricing, countedPromptTokens }: ServedBy,
): Promise<boolean> {
  const { count } = await sql`
    update holds set
      model = ${model}, endpoint = ${endpoint}, evidence_digest = ${evidenceDigest},
      prompt_price_micros = ${pricing.promptMicros}, completion_price_micros = ${pricing.completionMicros},
      prompt_tokens = ${countedPromptTokens}
    where workspace_id = ${workspaceId} and generation_id = ${id}`
  return count === 1
}
