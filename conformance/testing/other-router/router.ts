import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { keyOf } from './admission.ts'
import { recordOf } from './generation.ts'
import { infer, type Shop } from './inference.ts'
import type { Invitations } from './invitations.ts'
import { entryOf, models } from './models.ts'
import { mistake, Refusal } from './refusal.ts'

/** Where it lies behind its gateway; what is beside it is another site. */
export const BASE = '/gateway/of/others/v1'

/** What the router works with. */
export interface World extends Shop {
  readonly invitations: Invitations
  /** The own endpoint that the bare evidence path speaks of; undefined where that cannot be told. */
  readonly own: string | undefined
}

/** Serves the contract of a router, with decisions of its own (decisions.ts). */
export function createRouter(world: World): Server {
  return createServer({ keepAliveTimeout: 75_000 }, (incoming, response) => {
    const { 'x-request-id': requestId } = incoming.headers
    if (requestId !== undefined) response.setHeader('X-REQUEST-ID', requestId)
    serve(world, incoming, response).catch((error: unknown) => refuse(response, error))
  })
}

async function serve(world: World, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://other')
  if (!pathname.startsWith(`${BASE}/`)) return page(response)
  const path = pathname.slice(BASE.length)
  const [, topic = '', name = ''] = /^\/([a-z/]+?)(?:\/([^/]+))?$/.exec(path) ?? []
  const route = `${incoming.method} ${topic}${name === '' ? '' : '/{}'}`
  if (path.startsWith('/evidence')) return evidence(world, decoded(name), incoming, response)
  if (route === 'GET invites/{}') {
    return answer(response, world.invitations.look(decoded(name), incoming, world.limits))
  }
  const key = keyOf(away(world).books, incoming)
  switch (`${incoming.method} ${path}`) {
    case 'POST /chat/completions':
    case 'POST /completions':
    case 'POST /embeddings':
      return infer(world, key, path, incoming, response)
    case 'GET /models':
      return answer(response, { object: 'list', data: listedFor(key.scope).toReversed().map(entryOf) })
    case 'GET /generation':
      return answer(response, generation(key.workspace, searchParams.get('id')))
  }
  if (route !== 'GET models/{}') throw new Refusal(405, 'not_so', 'invalid_request_error', 'Not like this.')
  const model = models.find(({ id }) => id === decoded(name))
  if (!model) throw new Refusal(404, 'model_not_found', 'invalid_request_error', 'There is no such model.')
  return answer(response, { ...entryOf(model), since: 'the beginning' })
}

function listedFor(scope: readonly string[] | null | undefined) {
  return models.filter(({ id }) => !scope || scope.includes(id))
}

function generation(workspace: ReturnType<typeof keyOf>['workspace'], id: string | null): object {
  const found = workspace.generations.find((one) => one.id === id)
  if (!found) throw mistake('no_such_generation', 'No generation of yours has this id.')
  return recordOf(found)
}

/** The world, unless its books cannot be reached: that is nobody's mistake but ours. */
function away(world: World): World {
  if (world.books.isAway) throw new Refusal(500, 'internal', 'server_error', 'Something is wrong with us.')
  return world
}

function evidence(world: World, name: string, { headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  const wanted = name === '' ? world.own : name
  const bytes = wanted === undefined ? undefined : world.evidence.find(wanted)
  if (bytes === undefined) {
    const error = { statusCode: 404, error: 'Not Found', message: `Nothing is known of ${name || 'this'}.` }
    return void answer(response, error, 404)
  }
  response.writeHead(200, { 'Cache-Control': 'no-store', 'Content-Type': 'application/evidence+json' })
  response.end(bytes)
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** What lies beside the router. */
function page(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html' })
  response.end('<!doctype html><title>Others</title>')
}

function answer(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' })
  response.end(JSON.stringify(body, null, 2))
}

function refuse(response: ServerResponse, error: unknown): void {
  const ours = new Refusal(500, 'internal', 'server_error', 'Something is wrong with us.')
  const refusal = error instanceof Refusal ? error : ours
  if (response.headersSent) return void response.destroy()
  response.writeHead(refusal.status, { ...refusal.headers, 'Content-Type': 'application/problem+json' })
  response.end(JSON.stringify(refusal.body, null, 2))
}
