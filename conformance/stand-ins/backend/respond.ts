import { createHash } from 'node:crypto'
import { composeAnswer, countPrompt } from './answer.ts'
import type { Behaviour } from './behaviour.ts'
import { readAsServer } from './go-server.ts'
import type { Received } from './journal.ts'
import type { Outlet } from './outlet.ts'
import { parseRequest } from './request.ts'
import type { Operation } from './script.ts'
import { errorOf, sendJson, sendStream, sendText } from './send.ts'

// Answers are the same at every run, so their time is too: 2026-01-01T00:00:00Z.
const CREATED = 1_767_225_600

/** Answers one inference request as the behaviour says. */
export async function respond(
  outlet: Outlet,
  operation: Operation,
  entry: Received,
  behaviour: Behaviour,
): Promise<void> {
  if (await answeredInPlace(outlet, behaviour)) return
  const request = parseRequest(operation, behaviour.reads === 'go' ? readAsServer(entry.body) : entry.body)
  const naming = { id: `${operation === 'chat' ? 'chatcmpl' : 'cmpl'}-${idOf(entry.body)}`, created: CREATED }
  const reply = { request, answer: composeAnswer(request, behaviour), behaviour, naming }
  const streamed = behaviour.stream ?? request.stream
  if (!streamed || operation === 'embeddings') return sendJson(outlet, reply)
  return sendStream(outlet, reply, (pieces) => {
    entry.chunksSent += pieces
  })
}

/** Counts a prompt as vLLM's and SGLang's tokenizers do: by the measure of the answers' usage. */
export async function respondTokens(outlet: Outlet, entry: Received, behaviour: Behaviour): Promise<void> {
  if (await answeredInPlace(outlet, behaviour)) return
  const operation = entry.body.includes('"messages"') ? 'chat' : 'completions'
  const count = behaviour.promptTokens ?? countPrompt(parseRequest(operation, entry.body))
  await sendText(outlet, 200, JSON.stringify({ count, max_model_len: 1_048_576, tokens: [] }), behaviour)
}

/** Answers a list of models, or one of them. */
export async function respondModels(
  outlet: Outlet,
  wanted: string,
  models: readonly string[],
  behaviour: Behaviour,
): Promise<void> {
  if (await answeredInPlace(outlet, behaviour)) return
  const data = models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'stand-in' }))
  if (wanted === '') return sendText(outlet, 200, JSON.stringify({ object: 'list', data }), behaviour)
  const model = data.find(({ id }) => id === wanted)
  if (!model) return refuse(outlet, 404, `There is no model ${wanted}.`)
  return sendText(outlet, 200, JSON.stringify(model), behaviour)
}

/** Answers an error in OpenAI's shape. */
export function refuse(outlet: Outlet, status: number, message: string): Promise<void> {
  const error = { message, type: 'invalid_request_error', param: null, code: null }
  return sendText(outlet, status, JSON.stringify({ error }), {})
}

// What needs no model: a refusal, silence, an error or a body written out by the script.
async function answeredInPlace(outlet: Outlet, behaviour: Behaviour): Promise<boolean> {
  const { fault, status = 200 } = behaviour
  const body = writtenBody(behaviour)
  if (fault?.kind === 'silence') await outlet.stall()
  if (fault?.kind === 'refuse') {
    outlet.destroy(false)
    return true
  }
  await outlet.pause(behaviour.beforeHeadersMs)
  if (body === undefined && status < 400) return false
  await sendText(outlet, status, body ?? JSON.stringify(errorOf(behaviour)), behaviour)
  return true
}

function writtenBody({ body, bytes }: Behaviour): Buffer | string | undefined {
  return bytes === undefined ? body : Buffer.from(bytes, 'base64')
}

function idOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 24)
}
