import type { Operation } from '../metering/generation.ts'

/** The field that holds the prompt, by route. */
export const promptParams: Readonly<Record<Operation, string>> = {
  chat: 'messages',
  completions: 'prompt',
  embeddings: 'input',
}

/** Codes and types that say it outright: OpenAI, llama.cpp. */
const marks = new Set(['context_length_exceeded', 'exceed_context_size_error'])

/** What the refusals of vLLM, SGLang, llama.cpp, Ollama, LiteLLM and OpenAI have in common with none other. */
const phrases = [
  'maximum context length',
  "model's context length",
  'maximum model length',
  'available context size',
  'exceeds the context length',
  'exceeded max context length',
  'exceeds the maximum allowed length',
  'contextwindowexceedederror',
]

/** Whether a backend refuses a request because it does not fit the model's context window (§7.1). */
export function isContextLengthRefusal(refusal: {
  readonly message: string
  readonly code: unknown
  readonly type: unknown
}): boolean {
  if (marks.has(String(refusal.code)) || marks.has(String(refusal.type))) return true
  const message = refusal.message.toLowerCase()
  return phrases.some((phrase) => message.includes(phrase))
}
