import OpenAI from 'openai'
import { messageOf } from '#base/thrown.ts'
import { StartFailure } from './failure.ts'

/** The generation record as `GET /v1/generation` answers it (GEN-19). */
export interface GenerationRecord {
  readonly id: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
  readonly evidence_digest: string | null
  readonly ledger: { readonly id: string; readonly amount_micros: number }
  readonly [field: string]: unknown
}

/** What the demo talks to. */
export interface DemoOptions {
  /** The proxy's. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
}

/** What the demo asks. */
export const QUESTION = 'Hello there! What happens to all my words here?'

/** Asks one question through the official SDK, streams the answer, and fetches its record. */
export async function runDemo(options: DemoOptions): Promise<GenerationRecord> {
  const { baseUrl, apiKey, model, signal, onText } = options
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 })
  try {
    const { data: stream, response } = await client.chat.completions
      .create({ model, stream: true, messages: [{ role: 'user', content: QUESTION }] }, { signal })
      .withResponse()
    expectVerdict(response)
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
    throw new StartFailure(`The model did not answer: ${messageOf(error)}`, [], error)
  }
}

function expectVerdict({ headers }: Response): void {
  const verdict = headers.get('x-proxy-verdict')
  if (verdict !== 'allow') throw new Error(`the proxy's verdict on the connection is ${verdict}.`)
}
