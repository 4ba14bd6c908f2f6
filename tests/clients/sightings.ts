import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** A request as the server saw it. */
export interface Sighting {
  /** The port that it came to. */
  readonly port: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Its answer, which may still be on its way. */
  readonly response: ServerResponse
}

/** Everything that HTTP servers of this process were asked since it was opened. */
export interface Sightings {
  /** Requests to the server at that base URL with that key, in order. */
  of(baseUrl: string, apiKey: string): readonly Sighting[]
  close(): void
}

const STARTED = 'http.server.request.start'

/** Watches by Node's own diagnostics, so that nothing stands between a client and the server. */
export function watchServers(): Sightings {
  const seen: Sighting[] = []
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    seen.push({
      port: request.socket.localPort ?? 0,
      path: request.url ?? '',
      headers: request.headers,
      response,
    })
  }
  subscribe(STARTED, note)
  return {
    of: (baseUrl, apiKey) =>
      seen.filter(
        ({ port, headers }) =>
          port === Number(new URL(baseUrl).port) && headers.authorization === `Bearer ${apiKey}`,
      ),
    close: () => void unsubscribe(STARTED, note),
  }
}
