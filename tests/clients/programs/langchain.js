import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { citySchema, serve, weather, weatherTool } from './serve.js'

// LangChain's own default is six, with pauses that double from one second: a failure would be told after a minute.
const MAX_RETRIES = 2

serve({ chat, stream, tools, structured, embed, abort, broken, defaultRetries }, describe)

function connect({ baseUrl, apiKey, model }) {
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL: baseUrl }, maxRetries: MAX_RETRIES })
}

async function chat(ask) {
  const answer = await connect(ask).invoke(ask.prompt)
  const { model_name, usage } = answer.response_metadata
  return { text: answer.text, id: answer.id, model: model_name, usage }
}

async function stream(ask) {
  const texts = []
  let whole
  for await (const chunk of await connect(ask).stream(ask.prompt)) {
    if (chunk.text !== '') texts.push(chunk.text)
    whole = whole === undefined ? chunk : whole.concat(chunk)
  }
  const { model_name, usage } = whole.response_metadata
  return { text: texts.join(''), deltas: texts.length, id: whole.id, model: model_name, usage }
}

async function tools(ask) {
  const { name, description, schema: parameters } = weatherTool
  const model = connect(ask).bindTools([{ type: 'function', function: { name, description, parameters } }])
  const messages = [new HumanMessage(ask.prompt)]
  const called = await model.invoke(messages)
  const calls = called.tool_calls.map((call) => ({ name: call.name, arguments: call.args }))
  const results = called.tool_calls.map(
    ({ id }) => new ToolMessage({ tool_call_id: id, content: JSON.stringify(weather) }),
  )
  const { text } = await model.invoke([...messages, called, ...results])
  return { text, calls }
}

async function structured(ask) {
  return connect(ask)
    .withStructuredOutput(citySchema, { name: 'place', method: 'jsonSchema' })
    .invoke(ask.prompt)
}

async function embed({ baseUrl, apiKey, model, prompt }) {
  const embeddings = new OpenAIEmbeddings({
    model,
    apiKey,
    configuration: { baseURL: baseUrl },
    maxRetries: MAX_RETRIES,
  })
  return embeddings.embedDocuments([prompt, 'other'])
}

async function abort(ask) {
  const leaving = new AbortController()
  let deltas = 0
  let id
  try {
    for await (const chunk of await connect(ask).stream(ask.prompt, { signal: leaving.signal })) {
      id = chunk.id
      if (chunk.text !== '') deltas += 1
      if (deltas === 3) leaving.abort()
    }
  } catch (thrown) {
    if (!leaving.signal.aborted) throw thrown
  }
  return { id, deltas }
}

async function broken(ask) {
  let text = ''
  try {
    for await (const chunk of await connect(ask).stream(ask.prompt)) text += chunk.text
    return { text }
  } catch (thrown) {
    return { text, failure: describe(thrown) }
  }
}

function defaultRetries({ apiKey, model }) {
  return new ChatOpenAI({ model, apiKey }).caller.maxRetries
}

function describe(thrown) {
  const { status, code, requestID, message } = thrown
  return { name: thrown.constructor.name, status, code, requestId: requestID, message }
}
