import { readLikeGo, type Struct } from './go-reader.ts'
import { RequestError } from './request.ts'

/** What an OpenAI-shaped server in Go declares. */
const request: Struct = {
  model: 'string',
  messages: { slice: { role: 'string', content: 'any' } },
  prompt: 'any',
  input: 'any',
  stream: 'bool',
  stream_options: { struct: { include_usage: 'bool', continuous_usage_stats: 'bool' } },
  max_tokens: '*int',
  max_completion_tokens: '*int',
  tools: 'any',
  tool_choice: 'any',
  encoding_format: 'any',
  dimensions: '*int',
}

/** A body with the names and values that such a server finds in it. */
export function readAsServer(body: string): string {
  const found = readLikeGo(body, request)
  if (found === undefined) throw new RequestError('the body cannot be decoded')
  return JSON.stringify(found)
}
