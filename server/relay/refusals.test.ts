import { expect, test } from 'vitest'
import type { BackendConfig } from './backend.ts'
import { refusalError } from './refusals.ts'

const backend: BackendConfig = {
  url: 'http://10.0.0.7:8000/v1',
  model: 'tiny-chat',
  apiKey: 'sk-backend-secret',
  usage: 'final',
}

function errorOf(status: number, body: unknown, retryAfter?: string) {
  return refusalError({ status, body, retryAfter }, 'chat', backend)
}

/** Refusals as these servers word them. */
const contextRefusals: readonly (readonly [string, unknown])[] = [
  [
    'OpenAI',
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  [
    'vLLM, flat',
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'vLLM, nested',
    {
      error: {
        message:
          "You passed 5001 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens. Please reduce the length of the input prompt.",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      },
    },
  ],
  [
    'vLLM’s engine',
    {
      error: {
        message:
          'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    },
  ],
  [
    'SGLang, input alone',
    {
      object: 'error',
      message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'SGLang, input and completion',
    {
      object: 'error',
      message:
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4900 tokens from the input messages and 100 tokens for the completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'SGLang, allowed length',
    { error: { message: 'Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens).' } },
  ],
  [
    'llama.cpp',
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      },
    },
  ],
  [
    'Ollama',
    {
      error: {
        message: 'the input length exceeds the context length',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  ],
  ['Ollama, native form', { error: 'prompt too long; exceeded max context length by 12 tokens' }],
  [
    'LiteLLM',
    {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: HostedException - too many tokens',
        type: null,
        param: null,
        code: '400',
      },
    },
  ],
  [
    'TGI',
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
      error_type: 'validation',
    },
  ],
  [
    'TGI, input alone',
    {
      error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
      error_type: 'validation',
    },
  ],
  [
    'TensorRT-LLM’s executor',
    {
      object: 'error',
      message:
        'Encountered an error when fetching new request: Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTLLM logs for how maximum input length is set',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'TensorRT-LLM, prompt and completion',
    {
      object: 'error',
      message:
        'The sum of prompt length (5000.0) and query length (0), max_tokens (100) should not exceed max_seq_len (4096)',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'TensorRT-LLM, without chunks',
    {
      object: 'error',
      message: 'Prompt length (9000) should not exceed max_num_tokens (8192)',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
]

test.each(contextRefusals)('a prompt too long in the words of %s is context_length_exceeded', (_, body) => {
  for (const status of [400, 422]) {
    expect(errorOf(status, body)).toMatchObject({
      code: 'context_length_exceeded',
      status: 400,
      param: 'messages',
    })
  }
  expect(refusalError({ status: 400, body, retryAfter: undefined }, 'completions', backend).param).toBe(
    'prompt',
  )
  expect(refusalError({ status: 400, body, retryAfter: undefined }, 'embeddings', backend).param).toBe(
    'input',
  )
})

test.each([
  [
    'an error object',
    { error: { message: 'top_k must be positive', param: 'top_k' } },
    'top_k must be positive',
    'top_k',
  ],
  ['a flat error', { object: 'error', message: 'no tools', param: null }, 'no tools', undefined],
  ['an error string', { error: 'no tools' }, 'no tools', undefined],
  [
    'a list of details',
    { detail: [{ type: 'int', loc: ['body', 'top_k'], msg: 'Input should be an integer', input: 'canary' }] },
    'Input should be an integer',
    'top_k',
  ],
  ['a detail', { detail: 'no tools' }, 'no tools', undefined],
  ['garbage', undefined, 'The model backend refused this request.', undefined],
  ['nothing of use', { error: { message: 5 } }, 'The model backend refused this request.', undefined],
])('a 400 or 422 with %s is unsupported_parameter with the backend’s words', (_, body, message, param) => {
  for (const status of [400, 422]) {
    const error = errorOf(status, body)
    expect(error).toMatchObject({ code: 'unsupported_parameter', status: 400, message })
    expect(error.param).toBe(param)
  }
})

test('a mention of the context that is no refusal for its length stays unsupported_parameter', () => {
  const body = { error: { message: 'context_length is not a valid parameter', param: 'context_length' } }
  expect(errorOf(400, body)).toMatchObject({ code: 'unsupported_parameter', param: 'context_length' })
})

test.each([
  [401, 'backend_error'],
  [403, 'backend_error'],
  [404, 'backend_error'],
  [405, 'backend_error'],
  [409, 'backend_error'],
  [418, 'backend_error'],
  [201, 'backend_error'],
  [302, 'backend_error'],
  [408, 'backend_unavailable'],
  [429, 'backend_unavailable'],
  [500, 'backend_unavailable'],
  [502, 'backend_unavailable'],
  [503, 'backend_unavailable'],
  [504, 'backend_unavailable'],
  [599, 'backend_unavailable'],
])('a %i is a 502 %s that tells nothing of what the backend said', (status, code) => {
  const error = errorOf(status, { error: { message: 'canary' } })
  expect(error).toMatchObject({ code, status: 502 })
  expect(JSON.stringify(error.toBody())).not.toContain('canary')
})

test('a backend’s 413 is the client’s, and tells nothing of what the backend said', () => {
  const error = errorOf(413, { error: { message: 'canary' } }, '30')
  expect(error).toMatchObject({ code: 'request_too_large', status: 413, headers: {} })
  expect(JSON.stringify(error.toBody())).not.toContain('canary')
})

test.each([
  ['30', '30'],
  ['0', '0'],
  ['61', '60'],
  ['99999999', '60'],
  ['Sun, 22 Nov 2037 08:00:00 GMT', '60'],
  ['Fri, 20 Nov 2015 14:37:00 GMT', '0'],
  ['', undefined],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['30\r\nx: y', undefined],
  ['Son, 99 Nov 2037 08:00:00 GMT', undefined],
  ['1\u{1f4a5} GMT', undefined],
  ['9'.repeat(64), undefined],
])('a Retry-After of %j is relayed as %j', (retryAfter, relayed) => {
  const headers = relayed === undefined ? {} : { 'Retry-After': relayed }
  expect(errorOf(429, undefined, retryAfter).headers).toEqual(headers)
})

test('a Retry-After that names a time is relayed in seconds', () => {
  const in30s = new Date(Date.now() + 30_000).toUTCString()
  const { 'Retry-After': seconds } = errorOf(503, undefined, in30s).headers
  expect(Number(seconds)).toBeGreaterThan(0)
  expect(Number(seconds)).toBeLessThanOrEqual(30)
})

test('Retry-After is kept for a backend that asks to be left alone, and only then', () => {
  for (const status of [408, 429, 503]) {
    expect(errorOf(status, undefined, '30').headers).toEqual({ 'Retry-After': '30' })
  }
  expect(errorOf(404, undefined, '30').headers).toEqual({})
})

test('a backend’s message is cut to a size', () => {
  const error = errorOf(400, { error: { message: 'x'.repeat(100_000), param: 'y'.repeat(100_000) } })
  expect(error.message.length).toBeLessThanOrEqual(1_000)
  expect(error.param!.length).toBeLessThanOrEqual(128)
})
