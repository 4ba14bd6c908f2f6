import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AttestationError, type Digest, parseBundle } from '#attestation'
import { request } from '#base/http.ts'
import { limits } from '#contract/limits'
import type { ReasonOf } from '#contract/reasons'
import { isDelimited } from '../connection/delimited.ts'
import { DialError, dial, discard } from '../connection/dial.ts'
import { authorityOf, type Target } from '../connection/target.ts'
import { answerTo, NoAnswer, unlessAborted } from './answer.ts'

/** A bundle as it came, and the certificate that was seen on the connection that it came over. */
export interface Fetched {
  readonly bytes: Uint8Array
  readonly observedLeaf: Digest
}

/** A fetch that did not finish, which says nothing about the endpoint (VERD-12). */
export class UnfinishedFetch extends AttestationError {
  constructor(reason: ReasonOf<'fetch'>, cause?: unknown) {
    super('fetch', reason, { cause })
  }
}

/** Where a platform publishes its evidence (EP-21). */
export const EVIDENCE_PATH = '/.well-known/platform-evidence'

const TOO_MANY_REQUESTS = 429
const SWITCHING_PROTOCOLS = 101

/** Where to look, and for how long. */
export interface FetchOptions {
  readonly path?: string | undefined
  readonly timeoutMs?: number
  /** Gives up the fetch. */
  readonly signal?: AbortSignal | undefined
  /** Told of the certificate on the connection before anything is asked, whatever comes of the fetch. */
  readonly onLeaf?: (leaf: Digest) => void
}

/**
 * Fetches a bundle over a connection of its own: no redirect is followed, the size is capped, and the time is bounded
 * (VRFY-03, VRFY-04). Throws `UnfinishedFetch` when it could not be had, another refusal when it came wrong.
 */
export async function fetchBundle(target: Target, options: FetchOptions = {}): Promise<Fetched> {
  const { path = EVIDENCE_PATH, timeoutMs = limits.bundleFetchMs, onLeaf = () => {} } = options
  const late = new AbortController()
  // Not AbortSignal.timeout: its timer does not keep a command alive that has nothing else to wait for.
  const timer = setTimeout(() => late.abort(new Error('The fetch took too long.')), timeoutMs)
  const signal = options.signal === undefined ? late.signal : AbortSignal.any([late.signal, options.signal])
  try {
    const { socket, leaf } = await dial(target, { signal })
    onLeaf(leaf)
    try {
      return { bytes: await unlessAborted(signal, ask(socket, target, path)), observedLeaf: leaf }
    } finally {
      discard(socket)
    }
  } catch (thrown) {
    throw late.signal.aborted ? new UnfinishedFetch('timeout', thrown) : refusalOf(thrown)
  } finally {
    clearTimeout(timer)
  }
}

async function ask(socket: TLSSocket, target: Target, path: string): Promise<Uint8Array> {
  const headers = {
    host: authorityOf(target),
    accept: 'application/json',
    'accept-encoding': 'identity',
    connection: 'close',
  }
  const asked = request({ createConnection: () => socket, path, headers })
  const answered = answerTo(asked)
  asked.end()
  return readBody(await answered)
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
  const bytes = Buffer.concat(pieces)
  if (!isDelimited(response.headers) && isBroken(bytes))
    throw new Error('The body ended with its connection, in the middle of a document.')
  return bytes
}

/** Whether a body began as a bundle does, or not at all, and is not whole; no more of it is read than of any bundle. */
function isBroken(bytes: Buffer): boolean {
  const text = bytes.toString('utf8').trimStart()
  if (text !== '' && !text.startsWith('{')) return false
  try {
    parseBundle(bytes)
    return false
  } catch (thrown) {
    return thrown instanceof AttestationError && thrown.reason === 'not_json'
  }
}

/** Passes the only status that a bundle comes with; of the others some are no result. */
export function checkStatus(status: number): void {
  if (status === 200) return
  if (status >= 500 || status === TOO_MANY_REQUESTS) throw new UnfinishedFetch('http_status')
  throw new AttestationError('fetch', status >= 300 && status < 400 ? 'redirected' : 'http_status')
}

function refusalOf(thrown: unknown): AttestationError {
  if (thrown instanceof AttestationError) return thrown
  if (thrown instanceof NoAnswer) {
    // A protocol that nobody asked for is an answer of another status; a flood of interim ones is none.
    return thrown.status === SWITCHING_PROTOCOLS
      ? new AttestationError('fetch', 'http_status', { cause: thrown })
      : new UnfinishedFetch('http_status', thrown)
  }
  if (thrown instanceof DialError) return new UnfinishedFetch(thrown.reason, thrown)
  const { code = '' } = thrown as NodeJS.ErrnoException
  // It answered, and not in HTTP: that is an answer of the wrong kind, not a missing one.
  if (code.startsWith('HPE_')) return new AttestationError('fetch', 'not_json', { cause: thrown })
  return new UnfinishedFetch('unreachable', thrown)
}
