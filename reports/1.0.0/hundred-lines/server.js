// A gateway of a hundred lines before one model, as somebody writes it in an afternoon: keys, models, chats.
import { createServer } from 'node:http'

const { API_KEY, BACKEND = 'http://127.0.0.1:9000/v1', PORT = '8600' } = process.env
const MODEL = {
  id: 'tiny-chat',
  object: 'model',
  created: 0,
  owned_by: 'me',
  context_length: 8192,
  pricing: { prompt_per_1m_micros: 150_000, completion_per_1m_micros: 600_000 },
}
const MAX_BODY_BYTES = 4 * 1024 * 1024

class Refusal extends Error {
  constructor(status, type, code, message, param) {
    super(message)
    Object.assign(this, { status, type, code, param })
  }
}

const wrong = (code, message, param) => new Refusal(400, 'invalid_request_error', code, message, param)
const server = createServer(async (request, response) => {
  const id = request.headers['x-request-id']
  if (id) response.setHeader('X-Request-Id', id)
  try {
    await route(request, response)
  } catch (error) {
    refuse(response, error)
  }
})

async function route(request, response) {
  const path = new URL(request.url, 'http://here').pathname
  if (request.headers.authorization !== `Bearer ${API_KEY}`)
    throw new Refusal(401, 'authentication_error', 'invalid_api_key', 'Send Authorization: Bearer and your key.')
  if (request.method === 'GET' && path === '/v1/models') return send(response, { object: 'list', data: [MODEL] })
  if (request.method === 'GET' && path.startsWith('/v1/models/')) {
    if (decodeURIComponent(path.slice('/v1/models/'.length)) !== MODEL.id) throw unknownModel()
    return send(response, MODEL)
  }
  if (request.method === 'POST' && path === '/v1/chat/completions') return chat(await read(request), response)
  throw new Refusal(404, 'invalid_request_error', 'not_found', 'Nothing is here.')
}

async function chat(text, response) {
  const body = parse(text)
  if (typeof body.model !== 'string') throw wrong('missing_field', 'Which model?', 'model')
  if (body.model !== MODEL.id) throw unknownModel()
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw wrong('missing_field', 'There are no messages.', 'messages')
  if ((body.n ?? 1) !== 1) throw wrong('unsupported_parameter', 'There is one choice.', 'n')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text, signal: gone.signal }
  const answer = await fetch(`${BACKEND}/chat/completions`, asked).catch(() => {
    throw new Refusal(502, 'upstream_error', 'backend_unavailable', 'The model is away.')
  })
  if (!answer.ok) throw new Refusal(502, 'upstream_error', 'backend_error', 'The model fails.')
  response.writeHead(200, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
  for await (const piece of answer.body) response.write(piece)
  response.end()
}

async function read(request) {
  const pieces = []
  let size = 0
  for await (const piece of request) {
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new Refusal(413, 'invalid_request_error', 'request_too_large', 'It is too large.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parse(text) {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw wrong('invalid_json', 'The body is no JSON.')
  }
}

function unknownModel() {
  return new Refusal(404, 'invalid_request_error', 'model_not_found', 'There is no such model.', 'model')
}

function send(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function refuse(response, { status = 500, type = 'server_error', code = 'internal', message, param }) {
  if (response.headersSent) return response.destroy()
  send(response, { error: { message, type, code, ...(param && { param }) } }, status)
}

server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`))
