import type { Pricing } from '../metering/generation.ts'
import { costMicros } from '../metering/price.ts'

/** What a model's configuration says about sizes, in tokens. */
export interface ModelSizes {
  readonly contextLength: number
  /** What a chat template adds to a prompt. */
  readonly templateTokens: number
  /** Output cap when the client names none. */
  readonly maxOutputTokens: number
}

/** What was seen of a request's size, without keeping any of it. */
export interface PromptBytes {
  readonly bytes: number
  /** An image, audio or file: its tokens cannot be bounded by its bytes. */
  readonly hasOtherParts: boolean
}

/** How many tokens the answer may have. */
export interface OutputCap {
  /** What the hold reckons with. */
  readonly tokens: number
  /** What the backend is told because the client named nothing; undefined: nothing is added. */
  readonly sent: number | undefined
}

/** The most tokens that a prompt can be: no tokenizer makes more tokens than there are bytes (CRED-06). */
export function boundPrompt({ bytes, hasOtherParts }: PromptBytes, sizes: ModelSizes): number {
  return hasOtherParts ? sizes.contextLength : boundBytes(bytes, sizes)
}

/** The same for one of many texts, by a number alone. */
export function boundBytes(bytes: number, { contextLength, templateTokens }: ModelSizes): number {
  return Math.min(contextLength, bytes + templateTokens)
}

/** The output cap: the client's, else the model's where it fits beside the prompt, else the whole context. */
export function capOutput(
  requestedTokens: number | undefined,
  promptBound: number,
  { contextLength, maxOutputTokens }: ModelSizes,
): OutputCap {
  if (requestedTokens !== undefined) {
    return { tokens: Math.min(requestedTokens, contextLength), sent: undefined }
  }
  const cap = Math.min(maxOutputTokens, contextLength)
  if (promptBound + cap <= contextLength) return { tokens: cap, sent: cap }
  return { tokens: contextLength, sent: undefined }
}

/** The most that a request can cost. */
export function holdMicros(promptBound: number, outputCap: number, pricing: Pricing): number {
  return costMicros({ promptTokens: promptBound, completionTokens: outputCap }, pricing)
}
