import { X509Certificate } from 'node:crypto'
import { type Digest, type HardwareCondition, parsePin, parseRoots } from '#attestation'
import type { NewUpstream } from './administration.ts'

/** A new upstream in the words of whoever registers it. */
export interface WrittenUpstream {
  readonly name: string
  readonly url: string
  readonly hostname?: string | undefined
  /** Each in PEM. */
  readonly roots: readonly string[]
  readonly requireLeafName: boolean
  /** Read already. */
  readonly attested: readonly HardwareCondition[] | undefined
  /** In any notation. */
  readonly pins: readonly string[]
  readonly apiKey: string | undefined
}

/** What of a new upstream cannot be used; the message says why. */
export class UnusableUpstream extends Error {
  override readonly name = 'UnusableUpstream'
  readonly part: keyof WrittenUpstream
  /** Which one, where there are several. */
  readonly index: number

  constructor(part: keyof WrittenUpstream, message: string, index = 0, cause?: unknown) {
    super(message, { cause })
    this.part = part
    this.index = index
  }
}

/** As the contract has it for all endpoints. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** A name, or an address as it stands in evidence: without brackets. */
const HOSTNAME = /^[A-Za-z0-9._:-]+$/

/** It becomes a header. */
const API_KEY = /^[\x21-\x7e]+$/

/** Reads what was said of a new upstream. Throws `UnusableUpstream`. */
export function readUpstream(written: WrittenUpstream): NewUpstream {
  const { name, hostname, requireLeafName, attested, pins, apiKey } = written
  if (!NAME.test(name)) {
    throw new UnusableUpstream('name', 'must have up to 63 letters, digits, dots, dashes or _.')
  }
  const url = readUrl(written.url)
  if (hostname !== undefined && !HOSTNAME.test(hostname)) {
    throw new UnusableUpstream('hostname', 'is neither a name nor an address.')
  }
  if (apiKey !== undefined && !API_KEY.test(apiKey)) throw new UnusableUpstream('apiKey', 'is not a key.')
  return {
    name,
    url: url.href.replace(/\/$/, ''),
    hostname: (hostname ?? url.hostname.replace(/^\[|\]$/g, '')).toLowerCase(),
    roots: readRoots(written.roots),
    requireLeafName,
    attested,
    pins: pins.map(readPin),
    apiKey,
  }
}

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || !/^[^?#]*\/v1\/?$/.test(url.href)) {
    throw new UnusableUpstream('url', 'must be an https address that ends in /v1.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new UnusableUpstream(
      'url',
      'is shown to everybody who lists upstreams: a key has a place of its own.',
    )
  }
  return url
}

/** The certificates alone: whatever else such a text holds, a private key even, has no place in the table. */
function readRoots(texts: readonly string[]): string {
  const roots = texts.flatMap((text, index) => {
    try {
      return parseRoots(text).map(({ der }) => new X509Certificate(der).toString())
    } catch (cause) {
      throw new UnusableUpstream('roots', (cause as Error).message, index, cause)
    }
  })
  return roots.join('')
}

/** Reads a digest in any notation. Throws `UnusableUpstream`. */
export function readPin(text: string, index: number): Digest {
  try {
    return parsePin(text)
  } catch (cause) {
    throw new UnusableUpstream('pins', (cause as Error).message, index, cause)
  }
}
