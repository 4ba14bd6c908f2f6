import request from 'undici/lib/api/api-request.js'
import buildConnector from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { isObject } from '#base/object.ts'
import { passingOverInterim } from '#egress/connection/interim.ts'
import type { Log } from '../log.ts'
import { isCount } from '../metering/billable.ts'
import type { BackendConfig } from './backend.ts'

/** What is counted: members of vLLM's and SGLang's tokenize request, each as JSON. */
export type Question = Readonly<Record<string, Buffer | string>>

/** The backends that can count a prompt's tokens before it is sent. */
export interface Tokenizers {
  /** Whether anybody can count for this model. */
  has(model: string): boolean
  /** Whether somebody can, and is not busy with prompts that may be too long: those come first. */
  hasRoom(model: string): boolean
  /** Undefined when nobody tells: a tokenizer that fails, or is slow, refuses no request. The id is for the log. */
  count(model: string, question: Question, requestId: string): Promise<number | undefined>
  /** At once; whatever is being counted is not. */
  close(): Promise<void>
  /** When what is being counted has been. */
  end(): Promise<void>
}

/** How long a request waits for its tokens to be counted, and how many may be counted at a time (ours). */
const TIMEOUT_MS = 2_000
const MAX_RUNNING = 16

/** Bytes of an answer that are read: it lists each token, but what counts is the count (ours). */
const MAX_ANSWER_BYTES = 4_194_304

/** Asks the tokenizers of a model in turn. */
export function createTokenizers(
  models: readonly { readonly id: string; readonly backends: readonly BackendConfig[] }[],
  log: Pick<Log, 'warn'>,
  timeoutMs = TIMEOUT_MS,
): Tokenizers {
  const agent = new Agent({
    connect: passingOverInterim(buildConnector({ timeout: timeoutMs, allowH2: false })),
    allowH2: false,
  })
  const byModel = new Map(
    models.map(({ id, backends }) => [id, backends.filter(({ tokenizeUrl }) => tokenizeUrl !== undefined)]),
  )
  const backendsOf = (model: string) => byModel.get(model) ?? []
  let running = 0
  let turn = 0
  return {
    has: (model) => backendsOf(model).length > 0,
    hasRoom: (model) => backendsOf(model).length > 0 && running < MAX_RUNNING / 2,
    async count(model, question, requestId) {
      const backends = backendsOf(model)
      const backend = backends[turn++ % backends.length]
      if (backend === undefined || running >= MAX_RUNNING) return undefined
      running++
      try {
        return await ask(agent, backend, question, AbortSignal.timeout(timeoutMs))
      } catch (error) {
        const { origin } = new URL(backend.tokenizeUrl!)
        log.warn('a tokenizer did not count', { requestId, model, backend: origin, error })
        return undefined
      } finally {
        running--
      }
    },
    close: () => agent.destroy(),
    end: () => agent.close(),
  }
}

async function ask(
  agent: Agent,
  backend: BackendConfig,
  question: Question,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { origin, pathname, search } = new URL(backend.tokenizeUrl!)
  const { statusCode, body } = await request.call(agent, {
    origin,
    path: pathname + search,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorizationFor(backend, origin) },
    body: compose({ model: JSON.stringify(backend.model), ...question }),
    signal,
  })
  const pieces: Buffer[] = []
  let length = 0
  // Leaving the loop early destroys the rest.
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length > MAX_ANSWER_BYTES) break
  }
  if (statusCode !== 200) throw new Error(`the tokenizer answered ${statusCode}`)
  return parseCount(Buffer.concat(pieces))
}

/** A backend's key is for that backend: an address elsewhere does without. */
function authorizationFor({ url, apiKey }: BackendConfig, origin: string): Record<string, string> {
  return apiKey && new URL(url).origin === origin ? { authorization: `Bearer ${apiKey}` } : {}
}

function compose(members: Question): Buffer {
  const pieces = Object.entries(members).flatMap(([name, json], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    typeof json === 'string' ? Buffer.from(json) : json,
  ])
  return Buffer.concat([...pieces, Buffer.from('}')])
}

/** vLLM says the count first, so that the list after it need not be there in full. */
const LEADING_COUNT = /^\s*\{\s*"count"\s*:\s*(\d{1,10})\s*,/
const LEADING_BYTES = 64

function parseCount(bytes: Buffer): number | undefined {
  const leading = LEADING_COUNT.exec(bytes.toString('latin1', 0, LEADING_BYTES))
  if (leading) return Number(leading[1])
  const answer = parse(bytes)
  const { count, tokens } = isObject(answer) ? answer : {}
  if (isCount(count)) return count
  return Array.isArray(tokens) ? tokens.length : undefined
}

/** The parser's own words would repeat some of the answer, which may be the prompt; they go nowhere. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new Error('the tokenizer answered no JSON')
  }
}
