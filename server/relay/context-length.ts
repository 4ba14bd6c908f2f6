/** Codes and types that say it outright: OpenAI, llama.cpp. */
const marks = new Set(['context_length_exceeded', 'exceed_context_size_error'])

/** What the refusals of these servers, OpenAI's and LiteLLM have in common with none other. */
const phrases = [
  'maximum context length',
  "model's context length",
  'maximum model length',
  'available context size',
  'exceeds the context length',
  'exceeded max context length',
  'exceeds the maximum allowed length',
  'contextwindowexceedederror',
  // TGI: the prompt with what is to be generated, and the prompt alone.
  '`inputs` tokens + `max_new_tokens` must be <=',
  '`inputs` must have less than',
  // TensorRT-LLM: its executor, and its server by each of the figures that it may run into.
  'exceeds maximum input length',
  'should not exceed max_input_len',
  'should not exceed max_seq_len',
  'should not exceed max_num_tokens',
]

/** Whether a backend refuses a request because it does not fit the model's context window (ERR-23). */
export function isContextLengthRefusal(refusal: {
  readonly message: string
  readonly code: unknown
  readonly type: unknown
}): boolean {
  if (marks.has(String(refusal.code)) || marks.has(String(refusal.type))) return true
  const message = refusal.message.toLowerCase()
  return phrases.some((phrase) => message.includes(phrase))
}
