/** What of a streamed answer the page shows. */
export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'usage'
      readonly id: string
      readonly costMicros: number
      readonly inputTokens: number
      readonly outputTokens: number
    }
  | { readonly kind: 'failed'; readonly message: string }

interface Chunk {
  readonly id?: string
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[]
  readonly usage?: {
    readonly cost_micros?: number
    readonly prompt_tokens?: number
    readonly completion_tokens?: number
  } | null
  readonly error?: { readonly message?: string }
}

/**
 * Reads an event stream of chat chunks piece by piece, wherever its pieces are cut. An error event is an event too; a
 * stream that ends without `[DONE]` has failed (STRM-04).
 */
export async function* readChat(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
  const decoder = new TextDecoder()
  let left = ''
  // Not every browser reads a stream by `for await` yet.
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    left += decoder.decode(value, { stream: true })
    const lines = left.split(/\r\n|\n|\r(?!$)/)
    left = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      const data = line.slice('data:'.length).trim()
      if (data === '[DONE]') return
      yield* eventsOf(JSON.parse(data))
    }
  }
  yield { kind: 'failed', message: 'The stream ended before the answer did.' }
}

function* eventsOf({ id = '', choices = [], usage, error }: Chunk): Generator<ChatEvent> {
  if (error !== undefined) yield { kind: 'failed', message: error.message ?? 'The answer failed.' }
  const text = choices[0]?.delta?.content ?? ''
  if (text !== '') yield { kind: 'text', text }
  if (usage) {
    const {
      cost_micros: costMicros = 0,
      prompt_tokens: inputTokens = 0,
      completion_tokens: outputTokens = 0,
    } = usage
    yield { kind: 'usage', id, costMicros, inputTokens, outputTokens }
  }
}
