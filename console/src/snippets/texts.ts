/** What a snippet is made for. */
export interface SnippetTerms {
  /** With `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

/** A program that asks one question, ready to be run. */
export interface Snippet {
  readonly id: string
  readonly name: string
  /** How to have what it needs. */
  readonly install: string
  readonly text: string
}

/** Where the verifying proxy listens unless it is told otherwise. */
export const PROXY_URL = 'http://127.0.0.1:8484/v1'

const QUESTION = 'Say hello in one sentence.'

/** The same question to the same model, from four clients. */
export function snippetsFor(terms: SnippetTerms): readonly Snippet[] {
  return [
    { id: 'shell', name: 'cURL', install: '', text: curl(terms) },
    { id: 'node', name: 'Node', install: 'npm install openai', text: node(terms) },
    { id: 'python', name: 'Python', install: 'pip install openai', text: python(terms) },
    { id: 'ai-sdk', name: 'AI SDK', install: 'npm install ai @ai-sdk/openai-compatible', text: aiSdk(terms) },
  ]
}

function curl({ baseUrl, apiKey, model }: SnippetTerms): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: QUESTION }] })
  return `curl -N ${inShell(`${baseUrl}/chat/completions`)} \\
  -H ${inShell(`Authorization: Bearer ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(body)}
`
}

function node({ baseUrl, apiKey, model }: SnippetTerms): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${quoted(baseUrl)},
  apiKey: ${quoted(apiKey)},
})

const stream = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: ${quoted(QUESTION)} }],
  stream: true,
})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
}
`
}

function python({ baseUrl, apiKey, model }: SnippetTerms): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(baseUrl)},
    api_key=${quoted(apiKey)},
)

stream = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(QUESTION)}}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
`
}

function aiSdk({ baseUrl, apiKey, model }: SnippetTerms): string {
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

const router = createOpenAICompatible({
  name: 'router',
  baseURL: ${quoted(baseUrl)},
  apiKey: ${quoted(apiKey)},
  includeUsage: true,
})

const { textStream } = streamText({
  model: router(${quoted(model)}),
  prompt: ${quoted(QUESTION)},
})
for await (const text of textStream) process.stdout.write(text)
`
}

/** A text of both JavaScript and Python: what JSON escapes, both read alike. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

/** One word of a POSIX shell, whatever is in it. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
