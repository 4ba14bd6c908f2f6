import type { components } from '#contract/console/types'
import { limits } from '#contract/limits'
import type { Catalogue } from '../catalogue.ts'
import { type EndpointConfig, isExternal } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Sql } from '../store/connection.ts'
import { findBundle, listDeployments, type SeenDeployment } from '../store/publications.ts'
import { outlast } from '../store/retry.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { ConsoleHandler, RawConsoleHandler } from './handlers.ts'
import { createTeeLabels, type ReadTeeLabel } from './tee-labels.ts'

type EndpointBody = components['schemas']['ConsoleEndpoint']

/** What the evidence of endpoints is told from. */
export interface EndpointsDependencies {
  readonly sql: Sql
  /** Own ones, of the configuration in force. */
  readonly endpoints: () => readonly EndpointConfig[]
  readonly catalogue: Pick<Catalogue, 'models'>
  readonly shelf: Shelf
  readonly upstreams: Pick<Upstreams, 'find' | 'all'>
}

/** `GET /endpoints`: own ones first, then every registered upstream; nothing of a bundle is verified here (CONS-31). */
export function listingEndpoints(world: EndpointsDependencies): ConsoleHandler<'listEndpoints'> {
  const teeOf = createTeeLabels(world.sql)
  return async () => {
    const seen = await outlast(() => listDeployments(world.sql, limits.maxEndpointHistory))
    const historyOf = (name: string) => seen.filter(({ endpoint }) => endpoint === name)
    const own = world.endpoints().map((endpoint) => ownBody(endpoint, historyOf(endpoint.name), world))
    const external = [...world.upstreams.all].map((upstream) =>
      externalBody(upstream, historyOf(upstream.registration.name), { ...world, teeOf }),
    )
    return { status: 200, body: { data: [...own, ...(await Promise.all(external))] } }
  }
}

const DIGEST = /^[A-Za-z0-9_-]{43}$/

/** `GET /endpoints/{name}/bundles/{digest}`: byte for byte as it was published. */
export function gettingBundle({
  sql,
  shelf,
}: Pick<EndpointsDependencies, 'sql' | 'shelf'>): RawConsoleHandler<'getBundle'> {
  return async ({ path, response, headers }) => {
    const digest = `sha256/${path.digest}`
    const published = shelf.find(path.name)
    const isNewest = published?.digest === digest
    const bytes = isNewest
      ? published.bytes
      : DIGEST.test(path.digest) && (await read(sql, path.name, digest))
    if (!bytes) throw new ApiError('not_found', 'No bundle of this deployment is kept.', { param: 'digest' })
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
    })
    response.end(bytes)
  }
}

function read(sql: Sql, endpoint: string, digest: string): Promise<Buffer | undefined> {
  return outlast(() => findBundle(sql, endpoint, digest))
}

function ownBody(
  { name, hostname }: EndpointConfig,
  seen: readonly SeenDeployment[],
  { shelf, catalogue }: EndpointsDependencies,
): EndpointBody {
  const published = shelf.find(name)
  const isSeen = seen.some(({ digest }) => digest === published?.digest)
  // One that could not be put away yet.
  const fresh = published && !isSeen ? [{ ...published, firstSeenAt: published.issuedAt }] : []
  return {
    name,
    hostname,
    external: false,
    state: published ? 'published' : 'pending',
    denial: null,
    evidence_digest: published?.digest ?? null,
    issued_at: published?.issuedAt.toISOString() ?? null,
    tee: published?.tee ?? null,
    models: catalogue.models
      .filter((model) => !isExternal(model) && model.endpoint.name === name)
      .map(({ id }) => id),
    history: [...fresh, ...seen].slice(0, limits.maxEndpointHistory).map(toDeploymentBody),
  }
}

async function externalBody(
  { registration, endpoint }: Upstream,
  seen: readonly SeenDeployment[],
  { teeOf, catalogue }: Pick<EndpointsDependencies, 'catalogue'> & { readonly teeOf: ReadTeeLabel },
): Promise<EndpointBody> {
  const { name, hostname, admitted, deniedAt } = registration
  const { verdict } = endpoint
  const kept = seen.find(({ digest }) => digest === admitted?.digest)
  return {
    name,
    hostname,
    external: true,
    state: verdict.state,
    denial:
      verdict.state === 'denied'
        ? { stage: verdict.ground.stage, reason: verdict.ground.reason, at: deniedAt?.toISOString() ?? null }
        : null,
    evidence_digest: admitted?.digest ?? null,
    issued_at: kept?.issuedAt.toISOString() ?? null,
    tee: kept ? await teeOf(kept) : null,
    models: catalogue.models
      .filter((model) => isExternal(model) && model.upstream.name === name)
      .map(({ id }) => id),
    history: seen.map(toDeploymentBody),
  }
}

function toDeploymentBody({ digest, issuedAt, firstSeenAt }: Omit<SeenDeployment, 'endpoint'>) {
  return {
    evidence_digest: digest,
    issued_at: issuedAt.toISOString(),
    first_seen_at: firstSeenAt.toISOString(),
    has_bundle: true,
  }
}
