import { type CallOptions, type RouterAccess, send } from './access.ts'
import type { PathOf } from './calls.ts'
import { unanswered } from './error.ts'

/** A bundle as it was published: a verifier takes its bytes, and nothing else of it is to be believed. */
export interface FetchedEvidence {
  readonly bytes: Uint8Array
  /** Changes with the bytes. */
  readonly etag: string | undefined
}

/** The newest bundle of the router's own endpoint, or of the endpoint that is named. It verifies nothing. */
export async function getEvidence(
  access: RouterAccess,
  endpoint?: string,
  options: CallOptions = {},
): Promise<FetchedEvidence> {
  const own: PathOf<'getEvidence'> = '/evidence'
  const named: PathOf<'getEndpointEvidence'> = '/evidence/{endpoint}'
  const path = endpoint === undefined ? own : named.replace('{endpoint}', encodeURIComponent(endpoint))
  const response = await send(access, path, options)
  try {
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { bytes, etag: response.headers.get('etag') ?? undefined }
  } catch (cause) {
    throw options.signal?.aborted ? cause : unanswered(cause)
  }
}
