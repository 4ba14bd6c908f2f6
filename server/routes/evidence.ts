import { hash } from 'node:crypto'
import type { EndpointConfig } from '../config/router.ts'
import { type ApiError, asApiError } from '../errors.ts'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { OwnEndpoints } from '../publication/own-endpoint.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Exchange, RawHandler } from './handlers.ts'

/** What the evidence routes need from the rest of the router. */
export interface EvidenceDependencies {
  readonly endpoints: OwnEndpoints
  readonly shelf: Shelf
  readonly budget: Budget
  readonly sourceAddressOf: SourceAddressOf
}

/** Any page may read evidence, and no cache may keep it (§4.4; decisions, 4). */
const EVIDENCE_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' } as const

/** `GET /evidence`: the newest bundle of the router's own endpoint, byte for byte (§4.4). */
export function getEvidence(dependencies: EvidenceDependencies): RawHandler {
  return relayed(dependencies, ({ main }) => main)
}

/** `GET /evidence/{endpoint}`: the bundle of one endpoint, named by its name or hostname (§4.4). */
export function getEndpointEvidence(dependencies: EvidenceDependencies): RawHandler {
  return relayed(dependencies, ({ find }, { path }) => find(path.endpoint ?? ''))
}

type Resolve = (endpoints: OwnEndpoints, exchange: Exchange) => EndpointConfig | undefined

function relayed(dependencies: EvidenceDependencies, resolve: Resolve): RawHandler {
  const { endpoints, shelf, budget, sourceAddressOf } = dependencies
  return async (exchange) => {
    try {
      budget.take(sourceAddressOf(exchange.incoming))
    } catch (thrown) {
      return refuse(exchange, asApiError(thrown))
    }
    const endpoint = resolve(endpoints, exchange)
    if (endpoint === undefined) {
      return answer(exchange, 404, { statusCode: 404, message: 'There is no such endpoint here.' })
    }
    const publication = shelf.find(endpoint.name)
    if (publication === undefined) {
      const message = `No evidence of ${endpoint.name} has been fetched yet. Try again shortly.`
      return answer(exchange, 503, { statusCode: 503, reason: 'evidence_not_fetched', message })
    }
    send(exchange, 200, publication.bytes, { ETag: `"${hash('sha256', publication.bytes, 'hex')}"` })
  }
}

function refuse(exchange: Exchange, error: ApiError): void {
  send(exchange, error.status, Buffer.from(JSON.stringify(error.toBody())), error.headers)
}

function answer(exchange: Exchange, status: number, body: object): void {
  send(exchange, status, Buffer.from(JSON.stringify(body)), {})
}

function send(
  { response, headers }: Exchange,
  status: number,
  bytes: Buffer,
  more: Record<string, string>,
): void {
  response.writeHead(status, {
    ...headers,
    ...more,
    ...EVIDENCE_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  })
  response.end(bytes)
}
