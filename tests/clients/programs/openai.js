import OpenAI from 'openai'
import { citySchema, serve, weather, weatherTool } from './serve.js'

const connect = ({ baseUrl, apiKey }) => new OpenAI({ baseURL: baseUrl, apiKey })
const say = ({ model, prompt }) => ({ model, messages: [{ role: 'user', content: prompt }] })

serve({ chat, stream, tools, structured, embed, abort, broken, defaultRetries }, describe)

async function chat(ask) {
  const answer = await connect(ask).chat.completions.create(say(ask))
  return { text: answer.choices[0].message.content, id: answer.id, model: answer.model, usage: answer.usage }
}

async function stream(ask) {
  const stream_options = { include_usage: true }
  const chunks = await connect(ask).chat.completions.create({ ...say(ask), stream: true, stream_options })
  const texts = []
  let last
  for await (const chunk of chunks) {
    if (chunk.choices[0]?.delta.content) texts.push(chunk.choices[0].delta.content)
    last = chunk
  }
  return { text: texts.join(''), deltas: texts.length, id: last.id, model: last.model, usage: last.usage }
}

async function tools(ask) {
  const calls = []
  const { name, description, schema: parameters } = weatherTool
  const run = (city) => {
    calls.push({ name, arguments: city })
    return JSON.stringify(weather)
  }
  const runner = connect(ask).chat.completions.runTools({
    ...say(ask),
    tools: [
      { type: 'function', function: { name, description, parameters, parse: JSON.parse, function: run } },
    ],
  })
  return { text: await runner.finalContent(), calls }
}

async function structured(ask) {
  const json_schema = { name: 'place', strict: true, schema: citySchema }
  const answer = await connect(ask).chat.completions.parse({
    ...say(ask),
    response_format: { type: 'json_schema', json_schema },
  })
  return JSON.parse(answer.choices[0].message.content)
}

async function embed(ask) {
  const { data } = await connect(ask).embeddings.create({ model: ask.model, input: [ask.prompt, 'other'] })
  return data.map(({ embedding }) => embedding)
}

async function abort(ask) {
  const chunks = await connect(ask).chat.completions.create({ ...say(ask), stream: true })
  let deltas = 0
  let id
  for await (const chunk of chunks) {
    id = chunk.id
    if (chunk.choices[0]?.delta.content) deltas += 1
    if (deltas === 3) chunks.controller.abort()
  }
  return { id, deltas }
}

async function broken(ask) {
  let text = ''
  try {
    const chunks = await connect(ask).chat.completions.create({ ...say(ask), stream: true })
    for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? ''
    return { text }
  } catch (thrown) {
    return { text, failure: describe(thrown) }
  }
}

function defaultRetries(ask) {
  return connect(ask).maxRetries
}

// `stage` and `reason` stand beside `error` (ERR-29), where this SDK looks at nothing: the message tells them.
function describe(thrown) {
  const { status, code, requestID, message } = thrown
  return { name: thrown.constructor.name, status, code, requestId: requestID, message }
}
