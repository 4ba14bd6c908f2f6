import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Help, noHelp } from './help.ts'
import { bodyOf, headersOf, MALFORMED } from './refusal.ts'

/** Answers one request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Has requests answered by an application that speaks the web platform's types. */
export function createAnswer(fetch: Parameters<typeof getRequestListener>[0], help: Help = noHelp): Answer {
  return getRequestListener(fetch, {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: () =>
      new Response(bodyOf(MALFORMED), { status: MALFORMED.status, headers: headersOf(MALFORMED, help) }),
  })
}
