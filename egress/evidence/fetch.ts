import { type IncomingMessage, request } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AttestationError, type Digest } from '#attestation'
import { limits, type ReasonOf } from '#contract'
import { DialError, dial, discard } from '../connection/dial.ts'
import { authorityOf, type Target } from '../connection/target.ts'

/** A bundle as it came, and the certificate that was seen on the connection that it came over. */
export interface Fetched {
  readonly bytes: Uint8Array
  readonly observedLeaf: Digest
}

/** A fetch that did not finish, which says nothing about the endpoint (decisions, 8). */
export class UnfinishedFetch extends AttestationError {
  constructor(reason: ReasonOf<'fetch'>, cause?: unknown) {
    super('fetch', reason, { cause })
  }
}

/** Where a platform publishes its evidence (§4). */
export const EVIDENCE_PATH = '/.well-known/platform-evidence'

const TOO_MANY_REQUESTS = 429

/** Where to look, and for how long. */
export interface FetchOptions {
  readonly path?: string | undefined
  readonly timeoutMs?: number
  /** Gives up the fetch. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Fetches a bundle over a connection of its own: no redirect is followed, the size is capped, and the time is bounded
 * (decisions, 8, stage 1). Throws `UnfinishedFetch` when it could not be had, another refusal when it came wrong.
 */
export async function fetchBundle(target: Target, options: FetchOptions = {}): Promise<Fetched> {
  const { path = EVIDENCE_PATH, timeoutMs = limits.bundleFetchMs } = options
  const late = AbortSignal.timeout(timeoutMs)
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal])
  try {
    const { socket, leaf } = await dial(target, { signal })
    const close = () => discard(socket)
    signal.addEventListener('abort', close)
    try {
      return { bytes: await readBody(await ask(socket, target, path)), observedLeaf: leaf }
    } finally {
      signal.removeEventListener('abort', close)
      close()
    }
  } catch (thrown) {
    throw late.aborted ? new UnfinishedFetch('timeout', thrown) : refusalOf(thrown)
  }
}

function ask(socket: TLSSocket, target: Target, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: authorityOf(target),
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
    }
    request({ createConnection: () => socket, path, headers }, resolve)
      .on('error', reject)
      .end()
  })
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  checkStatus(response.statusCode ?? 0)
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > limits.maxBundleBytes) throw new AttestationError('fetch', 'too_large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Passes the only status that a bundle comes with; of the others some are no result. */
export function checkStatus(status: number): void {
  if (status === 200) return
  if (status >= 500 || status === TOO_MANY_REQUESTS) throw new UnfinishedFetch('http_status')
  throw new AttestationError('fetch', status >= 300 && status < 400 ? 'redirected' : 'http_status')
}

function refusalOf(thrown: unknown): AttestationError {
  if (thrown instanceof AttestationError) return thrown
  if (thrown instanceof DialError) return new UnfinishedFetch(thrown.reason, thrown)
  const { code = '' } = thrown as NodeJS.ErrnoException
  // It answered, and not in HTTP: that is an answer of the wrong kind, not a missing one.
  if (code.startsWith('HPE_')) return new AttestationError('fetch', 'not_json', { cause: thrown })
  return new UnfinishedFetch('unreachable', thrown)
}
