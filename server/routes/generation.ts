import type { components } from '#contract/types'
import { ApiError } from '../errors.ts'
import type { GenerationRecord } from '../metering/records.ts'
import { tokensPerSecond } from '../metering/speed.ts'
import type { JsonHandler } from './handlers.ts'

type GenerationBody = components['schemas']['Generation']

/** Finds a workspace's own generation; another workspace's is as unknown as one that never was. */
export type FindGeneration = (workspaceId: string, id: string) => Promise<GenerationRecord | undefined>

const GENERATION_ID = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/

/** `GET /generation?id=`: the record of one generation of the key's workspace; never any content (GEN-06, GEN-07). */
export function getGeneration(find: FindGeneration): JsonHandler<'getGeneration'> {
  return async ({ key, query: { id } }) => {
    if (!id) {
      throw new ApiError('missing_field', 'id is required: the generation id, such as gen-01….', {
        param: 'id',
      })
    }
    // Whatever is no generation id has no record, and may be nothing that a database takes as text.
    const record = GENERATION_ID.test(id) ? await find(key.rates.workspaceId, id) : undefined
    if (!record) throw new ApiError('not_found', 'No such generation in this workspace.', { param: 'id' })
    return { status: 200, body: { data: toBody(record) } }
  }
}

function toBody(record: GenerationRecord): GenerationBody {
  const { promptTokens, completionTokens } = record.usage
  return {
    id: record.id,
    model: record.model,
    endpoint: record.endpoint,
    created_at: record.createdAt.toISOString(),
    operation: record.operation,
    streamed: record.streamed,
    status: record.status,
    finish_reason: record.finishReason,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost_micros: record.costMicros,
    usage_source: record.usageSource,
    latency_ms: record.latencyMs,
    time_to_first_token_ms: record.timeToFirstTokenMs,
    tokens_per_second: tokensPerSecond(record),
    evidence_digest: record.evidenceDigest,
    ledger: { id: record.ledger.id, amount_micros: record.ledger.amountMicros },
  }
}
