import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import type { Connections } from './connections.ts'
import type { Journal, Received } from './journal.ts'
import { createOutlet, type Outlet } from './outlet.ts'
import { readBody } from './read-body.ts'
import { RequestError } from './request.ts'
import { refuse, respond, respondModels, respondTokens } from './respond.ts'
import { type Playbook, type Rule, UnknownScript } from './script.ts'
import { modelIn, type Target, targetOf } from './target.ts'

/** What the model's listener works with. */
export interface ModelServerOptions {
  readonly journal: Journal
  readonly connections: Connections
  readonly playbook: () => Playbook
  readonly models: readonly string[]
  /** How a request is answered that no rule is for. */
  readonly usual: Behaviour
  /** Aborts when the backend closes. */
  readonly closing: AbortSignal
}

// Ours: twice what a router may be sent.
const MAX_BODY_BYTES = 64 * 1024 * 1024
// Above the 60 s of most load balancers, so that it is never this side that closes a pooled socket first.
const KEEP_ALIVE_MS = 75_000

/** The OpenAI-shaped listener. */
export function createModelServer(options: ModelServerOptions): Server {
  const { journal, connections, closing } = options
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (message, response) => {
    handle(message, response).catch(() => response.destroy())
  })
  connections.watch(server)
  return server

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.numberOf(message.socket)
    const entry = journal.record(message, await readBody(message, MAX_BODY_BYTES), connection)
    const target = targetOf(entry)
    const { rule, problem } = findRule(target, entry)
    entry.rule = rule ? (rule.name ?? rule.marker ?? rule.model ?? 'rule') : null

    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, closing])
    const outlet = createOutlet(response, signal, rule?.wire?.bytesPerWrite ?? Number.POSITIVE_INFINITY)
    response.once('close', () => {
      left.abort()
      if (response.writableFinished || outlet.destroyed || closing.aborted) return
      journal.end(entry, 'client-left')
      connections.leftEarly(entry)
    })
    try {
      await (problem === undefined
        ? answer(outlet, target, entry, rule ?? options.usual)
        : refuse(outlet, 400, problem))
    } catch (error) {
      await tell(outlet, error)
    }
    journal.end(entry, outlet.destroyed || closing.aborted ? 'broken' : 'answered')
  }

  function findRule(
    { operation }: Target,
    { body }: Received,
  ): { rule?: Rule | undefined; problem?: string } {
    if (operation === undefined) return {}
    try {
      return { rule: options.playbook().find({ operation, model: modelIn(body), body }) }
    } catch (error) {
      if (error instanceof UnknownScript) return { problem: error.message }
      throw error
    }
  }

  function answer(
    outlet: Outlet,
    { operation, wanted }: Target,
    entry: Received,
    behaviour: Behaviour,
  ): Promise<void> {
    if (operation === undefined)
      return refuse(outlet, 404, `Nothing is served at ${entry.method} ${entry.path}.`)
    if (operation === 'models') return respondModels(outlet, wanted, options.models, behaviour)
    if (operation === 'tokenize') return respondTokens(outlet, entry, behaviour)
    return respond(outlet, operation, entry, behaviour)
  }
}

async function tell(outlet: Outlet, error: unknown): Promise<void> {
  if (outlet.signal.aborted) return
  if (outlet.response.headersSent) return outlet.destroy(false)
  const own = error instanceof RequestError
  await refuse(
    outlet,
    own ? 400 : 500,
    own ? `The request cannot be answered: ${error.message}.` : String(error),
  )
}
