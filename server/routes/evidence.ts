import { hash } from 'node:crypto'
import type { EndpointConfig } from '../config/router.ts'
import { type ApiError, asApiError } from '../errors.ts'
import type { Help } from '../help.ts'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { OwnEndpoints } from '../publication/own-endpoint.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { FindRelayable } from '../upstreams/archive.ts'
import type { RawHandler, RawRequest } from './handlers.ts'

/** What the evidence routes need from the rest of the router. */
export interface EvidenceDependencies {
  readonly endpoints: OwnEndpoints
  readonly shelf: Shelf
  readonly archive: FindRelayable
  readonly budget: Budget
  readonly log: Log
  readonly help: Help
  readonly sourceAddressOf: SourceAddressOf
}

/** Any page may read evidence, and no cache may keep it (HDR-07, EVID-22). */
const EVIDENCE_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' } as const

/** `GET /evidence`: the newest bundle of the router's own endpoint, byte for byte (EVID-06). */
export function getEvidence(dependencies: EvidenceDependencies): RawHandler {
  const { endpoints, shelf } = dependencies
  return relayed(dependencies, UNDECIDED, async () => endpoints.main && published(endpoints.main, shelf))
}

/** `GET /evidence/{endpoint}`: the bundle of one endpoint; own ones by name or hostname, then external ones by name. */
export function getEndpointEvidence(dependencies: EvidenceDependencies): RawHandler {
  const { endpoints, shelf, archive, log } = dependencies
  return relayed(dependencies, UNKNOWN, async ({ path: { endpoint: name = '' }, trace: { requestId } }) => {
    const own = endpoints.find(name)
    if (own) return published(own, shelf)
    try {
      const missing = `${name} was never admitted, so there is nothing of it to relay.`
      return await archive(name).then((found) => found && { ...found, missing })
    } catch (error) {
      log.error('the archive of evidence cannot be read', { requestId, error })
      throw asApiError(error)
    }
  })
}

/** The endpoint that was asked for, and its bundle if there is one. */
interface Found {
  readonly bytes: Buffer | undefined
  /** Why there is none. */
  readonly missing: string
}

const UNKNOWN = 'There is no such endpoint here; GET /models shows the names of those that serve.'
const UNDECIDED =
  'This router cannot tell which endpoint is its own; ask for one by name: GET /evidence/{endpoint}.'

type Find = (request: RawRequest) => Promise<Found | undefined>

function published({ name }: EndpointConfig, shelf: Shelf): Found {
  const missing = `No evidence of ${name} has been fetched yet. Try again shortly.`
  return { bytes: shelf.find(name)?.bytes, missing }
}

function relayed(dependencies: EvidenceDependencies, unknown: string, find: Find): RawHandler {
  const { budget, sourceAddressOf, help } = dependencies
  return async (request) => {
    let found: Found | undefined
    try {
      budget.take(sourceAddressOf(request.incoming))
      found = await find(request)
    } catch (thrown) {
      return refuse(request, asApiError(thrown), help)
    }
    if (found === undefined) return answer(request, 404, { statusCode: 404, message: unknown })
    const { bytes, missing: message } = found
    if (bytes === undefined) {
      return answer(request, 503, { statusCode: 503, reason: 'evidence_not_fetched', message })
    }
    send(request, 200, bytes, { ETag: `"${hash('sha256', bytes, 'hex')}"` })
  }
}

function refuse(request: RawRequest, error: ApiError, help: Help): void {
  const headers = { ...error.headers, ...help(error) }
  send(request, error.status, Buffer.from(JSON.stringify(error.toBody())), headers)
}

function answer(request: RawRequest, status: number, body: object): void {
  send(request, status, Buffer.from(JSON.stringify(body)), {})
}

function send(
  { response }: RawRequest,
  status: number,
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    ...headers,
    ...EVIDENCE_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  })
  response.end(bytes)
}
