import type { Step } from './data/definition.ts'

/** What a backend says no with: a member of a script. */
interface Refusal {
  readonly status: number
  readonly error: object
}

/** The record of an accepted request that its backend failed or refused before any token. */
export const freeRecord = { status: 'aborted', prompt_tokens: 0, completion_tokens: 0, cost_micros: 0 }

/** Text of a backend's that nobody may be told; what tells it does not match `untold`. */
const CANARY = 'canary of the backend'
export const untold = '^(?!.*canary)'

/** What becomes of a backend's statuses, for steps of any operation. */
export const failures: readonly Step[] = [401, 403, 404, 408, 429, 500, 503].map((status) => {
  const isSettings = [401, 403, 404].includes(status)
  const told = [isSettings ? 'RLAY-04' : 'RLAY-05'] as const
  return {
    name: `a ${status}`,
    backend: { status, error: { error: { message: CANARY, code: 'x' } } },
    expect: {
      error: isSettings ? 'backend_error' : 'backend_unavailable',
      message: untold,
      record: freeRecord,
    },
    shows: { error: told, message: told, record: ['GEN-18'] },
  }
})

/** Answers of status 200 that are none, whatever was asked. */
export const uselessBodies: readonly string[] = [
  '<!doctype html>',
  '{"choices":',
  '[]',
  '{}',
  'null',
  `{"error":{"message":"${CANARY}"}}`,
  '{"object":"chat.completion"}',
  '',
]

/** A backend's own refusals of what a client sent, in both forms that servers write, for steps of any operation. */
export function clientMistakes(param: string, status: number): readonly Step[] {
  const error = { message: 'It is too hot for this model.', type: 'BadRequest', param, code: status }
  return [{ error }, error].map((form, index) => ({
    name: index === 0 ? 'within error' : 'bare',
    backend: { status, error: form },
    expect: {
      error: 'unsupported_parameter',
      param,
      message: '^It is too hot for this model\\.$',
      record: freeRecord,
    },
    shows: { error: ['REQ-36'], param: ['REQ-36'], message: ['REQ-36'], record: ['GEN-18'] },
  }))
}

/** What it shows when one of `contextRefusals` is told as the contract says. */
export const contextShows = { error: ['REQ-37'], param: ['REQ-37'], record: ['GEN-18'] } as const

/** How servers of models refuse a prompt beyond their context window, each in its own form. */
export const contextRefusals = {
  litellm: {
    status: 400,
    error: {
      error: {
        message: 'litellm.ContextWindowExceededError: litellm.BadRequestError: the prompt is too long',
        type: null,
        param: null,
        code: '400',
      },
    },
  },
  llamacpp: {
    status: 400,
    error: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      },
    },
  },
  ollama: {
    status: 400,
    error: {
      error: {
        message: 'the input length exceeds the context length',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  },
  openai: {
    status: 400,
    error: {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  sglang: {
    status: 400,
    error: {
      object: 'error',
      message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      type: 'BadRequestError',
      code: 400,
    },
  },
  'TensorRT-LLM': {
    status: 400,
    error: {
      object: 'error',
      message:
        'The sum of prompt length (5000.0) and query length (0), max_tokens (20) should not exceed max_seq_len (4096)',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  TGI: {
    status: 422,
    error: {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
      error_type: 'validation',
    },
  },
  vllm: {
    status: 400,
    error: {
      object: 'error',
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
} satisfies Readonly<Record<string, Refusal>>
