import { AttestationError, type Digest, parseDigest } from '#attestation'
import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { findUpstream } from '../upstreams/administration.ts'
import { TooDifferent } from '../upstreams/comparison.ts'
import { compareOffer } from '../upstreams/offer.ts'
import { toDiffDocument } from '../upstreams/offer-document.ts'
import { missing } from './administrator.ts'
import type { ConsoleHandler } from './handlers.ts'
import { wrong } from './query.ts'

/** `GET /admin/upstreams/{name}/diff`: what the upstream offers now, beside what is approved. */
export function diffingUpstreams(sql: Sql): ConsoleHandler<'diffUpstream'> {
  return async ({ path: { name }, query }) => {
    const pin = query.pin === undefined ? undefined : readDigest(query.pin)
    const registration = await outlast(() => findUpstream(sql, name))
    if (!registration) throw missing('upstream', 'name')
    const found = await compareOffer(sql, registration, pin).catch(asConflict)
    if (!found)
      throw new ApiError('not_found', 'No approved deployment of this digest is kept.', { param: 'pin' })
    return { status: 200, body: toDiffDocument(found, registration) }
  }
}

function readDigest(text: string): Digest {
  try {
    return parseDigest(text)
  } catch {
    throw wrong('pin', 'has to be a digest such as sha256/ and 43 characters.')
  }
}

function asConflict(thrown: unknown): never {
  if (thrown instanceof TooDifferent) throw new ApiError('conflict', thrown.message, { cause: thrown })
  if (!(thrown instanceof AttestationError)) throw thrown
  const { stage, reason } = thrown
  throw new ApiError('conflict', `What is offered cannot be compared: ${stage}, ${reason}.`, {
    cause: thrown,
  })
}
