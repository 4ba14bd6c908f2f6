import type { IncomingMessage, ServerResponse } from 'node:http'
import { routes } from '#contract/routes'
import { refuse } from './refusal.ts'
import type { Publication } from './signing/bundle.ts'

const PATH = routes.getPlatformEvidence.path
const METHODS = ['GET', 'HEAD']

/** Whether a request is for the evidence, and thus not for the router. */
export function asksForEvidence({ url = '' }: IncomingMessage): boolean {
  return url === PATH || url.startsWith(`${PATH}?`)
}

/**
 * Answers with the bundle as it was signed. Pages of other origins get no leave to read it, and no answer to
 * their question whether they may (EP-24).
 */
export function serveEvidence(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes }: Publication,
): void {
  response.setHeader('Cache-Control', 'no-store')
  if (METHODS.includes(request.method ?? '')) {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)
  } else {
    response.setHeader('Allow', METHODS.join(', '))
    refuse(request, response, 'not_found', `The evidence can only be read: there is no ${request.method}.`)
  }
}
