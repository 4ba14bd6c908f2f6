import OpenAI from 'openai'
import { StartFailure } from './failure.ts'

/** The generation record as `GET /v1/generation` answers it (decisions, 4). */
export interface GenerationRecord {
  readonly id: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
  readonly ledger: { readonly id: string; readonly amount_micros: number }
  readonly [field: string]: unknown
}

/** What the demo talks to. */
export interface DemoOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
}

/** What the demo asks. */
export const QUESTION = 'Hello there! What happens to all my words here?'

/** Asks one question through the official SDK, streams the answer, and fetches its record. */
export async function runDemo({
  baseUrl,
  apiKey,
  model,
  signal,
  onText,
}: DemoOptions): Promise<GenerationRecord> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 })
  try {
    const stream = await client.chat.completions.create(
      { model, stream: true, messages: [{ role: 'user', content: QUESTION }] },
      { signal },
    )
    let id = ''
    for await (const chunk of stream) {
      id = chunk.id
      onText(chunk.choices[0]?.delta.content ?? '')
    }
    signal.throwIfAborted()
    const { data } = await client.get<{ data: GenerationRecord }>('/generation', {
      query: { id },
      signal,
    })
    return data
  } catch (error) {
    signal.throwIfAborted()
    throw new StartFailure(
      `The model did not answer: ${error instanceof Error ? error.message : error}`,
      [],
      error,
    )
  }
}
