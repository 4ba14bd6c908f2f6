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
 * Answers GET and HEAD with the bundle's bytes as they were signed, and any other method with 404. No CORS header is
 * set, so that pages of other origins cannot read it (EP-24).
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
