import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embedMany,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  RetryError,
  streamText,
  tool,
} from 'ai'
import { citySchema, serve, weather, weatherTool } from './serve.js'

serve({ chat, stream, tools, structured, embed, abort, broken }, describe)

function connect({ baseUrl, apiKey }) {
  return createOpenAICompatible({
    name: 'router',
    baseURL: baseUrl,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
}

function say(ask) {
  return { model: connect(ask)(ask.model), prompt: ask.prompt }
}

async function chat(ask) {
  const { text, response, usage } = await generateText(say(ask))
  return { text, id: response.id, model: response.modelId, usage: usage.raw }
}

async function stream(ask) {
  const result = streamText(say(ask))
  const texts = []
  for await (const text of result.textStream) texts.push(text)
  const { id, modelId } = await result.response
  const { raw } = await result.usage
  return { text: texts.join(''), deltas: texts.length, id, model: modelId, usage: raw }
}

async function tools(ask) {
  const calls = []
  const { name, description, schema } = weatherTool
  const execute = (city) => {
    calls.push({ name, arguments: city })
    return weather
  }
  const { text } = await generateText({
    ...say(ask),
    tools: { [name]: tool({ description, inputSchema: jsonSchema(schema), execute }) },
    stopWhen: isStepCount(3),
  })
  return { text, calls }
}

async function structured(ask) {
  const { output } = await generateText({
    ...say(ask),
    output: Output.object({ schema: jsonSchema(citySchema) }),
  })
  return output
}

async function embed(ask) {
  const model = connect(ask).embeddingModel(ask.model)
  const { embeddings } = await embedMany({ model, values: [ask.prompt, 'other'] })
  return embeddings
}

async function abort(ask) {
  const leaving = new AbortController()
  const result = streamText({ ...say(ask), abortSignal: leaving.signal, includeRawChunks: true })
  let deltas = 0
  let id
  for await (const part of result.fullStream) {
    if (part.type === 'raw') id = part.rawValue.id
    if (part.type === 'text-delta') deltas += 1
    if (deltas === 3) leaving.abort()
  }
  return { id, deltas }
}

async function broken(ask) {
  let text = ''
  for await (const part of streamText({ ...say(ask), onError: () => {} }).fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') return { text, failure: describe(part.error) }
  }
  return { text }
}

function describe(thrown) {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  if (!APICallError.isInstance(error))
    return { name: error?.name, code: error?.code, message: String(error?.message ?? error) }
  const { statusCode, responseBody, responseHeaders, message } = error
  const { error: inner, stage, reason } = JSON.parse(responseBody)
  const requestId = responseHeaders['x-request-id']
  return { name: thrown.name, status: statusCode, code: inner.code, stage, reason, requestId, message }
}
