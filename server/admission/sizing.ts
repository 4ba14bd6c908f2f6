/** What one walk over a prompt learns; the text itself is not kept (§1, decisions 2 and 3). */
export interface MeasuredPrompt {
  /** UTF-8 bytes of text parts and tool arguments. */
  readonly textBytes: number
  /** Tokens that the client sent in place of text. */
  readonly tokens: number
  /** Whether an image, audio or file part is present, whose tokens no byte count bounds. */
  readonly hasOtherParts: boolean
  /** Parts of these kinds, which count by a figure of the model's. */
  readonly images?: number
  readonly audios?: number
}

/** How the parts of these kinds are called by OpenAI and by vLLM. */
const imageTypes = new Set<unknown>(['image_url', 'input_image', 'image', 'image_embeds'])
const audioTypes = new Set<unknown>(['input_audio', 'audio_url', 'audio'])

type Fields = Readonly<Record<string, unknown>>

/** Sizes the messages of a chat request. Whatever has another shape than expected counts nothing. */
export function sizeMessages(messages: readonly unknown[]): MeasuredPrompt {
  let textBytes = 0
  let hasOtherParts = false
  let images = 0
  let audios = 0
  for (const message of messages) {
    if (!isObject(message)) continue
    const { content } = message
    textBytes += sizeText(content) + sizeText(message.reasoning_content) + sizeToolCalls(message)
    if (!Array.isArray(content)) continue
    for (const part of content) {
      const text = isObject(part) ? sizeText(part.text) + sizeText(part.refusal) : sizeText(part)
      textBytes += text
      hasOtherParts ||= isObject(part) && part.type !== 'text' && part.type !== 'refusal'
      if (isObject(part) && imageTypes.has(part.type)) images++
      if (isObject(part) && audioTypes.has(part.type)) audios++
    }
  }
  return { textBytes, tokens: 0, hasOtherParts, ...(images > 0 && { images }), ...(audios > 0 && { audios }) }
}

/**
 * Sizes a `prompt` or an `input` that has passed its validator: a text, its tokens, or a list of either. One by one,
 * for a body may hold millions of them.
 */
export function* sizeTexts(value: unknown): Generator<MeasuredPrompt> {
  if (isTokens(value)) yield { textBytes: 0, tokens: value.length, hasOtherParts: false }
  else if (Array.isArray(value)) for (const entry of value as unknown[]) yield* sizeTexts(entry)
  else yield { textBytes: sizeText(value), tokens: 0, hasOtherParts: false }
}

/** The router's own count of a prompt: a token for each four bytes, rounded up (decisions, 3). */
export function countPromptTokens(textBytes: number): number {
  return Math.ceil(textBytes / 4)
}

function sizeToolCalls({ tool_calls: calls, function_call: call }: Fields): number {
  const called = Array.isArray(calls)
    ? calls.map((entry) => (isObject(entry) ? entry.function : undefined))
    : []
  return [...called, call].reduce<number>(
    (bytes, entry) => bytes + (isObject(entry) ? sizeText(entry.arguments) : 0),
    0,
  )
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && typeof value[0] === 'number'
}

function sizeText(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
