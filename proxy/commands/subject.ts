import { createReadStream, readFileSync } from 'node:fs'
import { type Digest, parseRoots, type RootOptions, type TrustedRoot } from '#attestation'
import { UsageError } from '#base/command.ts'
import { limits } from '#contract/limits'
import { type Target, targetOf } from '#egress/connection/target.ts'
import { parseEndpointUrl } from './usage.ts'

/** Something to judge: a bundle's bytes, and the certificate of its connection when there was one. */
export interface Subject {
  readonly bytes: Uint8Array
  readonly observedLeaf: Digest | undefined
}

/** Where a subject is to be had, and the hostname it must be for. */
export interface Source {
  readonly hostname: string
  readonly target?: Target
  /** Reads it; throws the refusal of the stage `fetch`, or a plain error for a file that cannot be read. */
  read(): Promise<Subject>
}

/** Whether a subject is meant as a URL, of whatever kind. */
export function isUrl(subject: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(subject)
}

/** Understands a subject as people name it: an https URL, else a file. */
export function sourceOf(subject: string, hostname: string | undefined): Source {
  if (isUrl(subject)) return endpointSource(parseEndpointUrl(subject), hostname)
  if (hostname === undefined)
    throw new UsageError(
      '--hostname is missing: a file does not say what it must be for, and this one is no capsule.',
    )
  return { hostname, read: async () => ({ bytes: await readBundleFile(subject), observedLeaf: undefined }) }
}

/** The evidence of an endpoint; a URL that names a path of its own is fetched as it is. */
export function endpointSource(url: URL, hostname: string | undefined): Source & { readonly target: Target } {
  const target = targetThrough(url, hostname)
  const isBase = /^(\/|.*\/v1\/?)$/.test(url.pathname) && url.search === ''
  const path = isBase ? undefined : url.pathname + url.search
  return {
    hostname: target.hostname,
    target,
    // Judging a file, which scripts do thousands of times, loads no network.
    read: async () => (await import('#egress/evidence/fetch.ts')).fetchBundle(target, { path }),
  }
}

/** The address, and the proxy that HTTPS_PROXY names on the way to it. */
function targetThrough(url: URL, hostname: string | undefined): Target {
  try {
    return targetOf(url, hostname, process.env)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Reads the files of trusted roots; each wants the hostname in the signing certificate unless it is said otherwise. */
export function readRoots(files: readonly string[], options: RootOptions = {}): TrustedRoot[] {
  return files.flatMap((file) => {
    const pem = readFileSync(file, 'utf8')
    try {
      return parseRoots(pem, options)
    } catch (cause) {
      throw new Error(`${file}: ${(cause as Error).message}`, { cause })
    }
  })
}

/** No more is read than shows that the file is too large. */
export async function readBundleFile(file: string): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of createReadStream(file, { end: limits.maxBundleBytes })) pieces.push(piece)
  } catch (cause) {
    throw new Error(`${file} cannot be read (${(cause as Error).message}).`, { cause })
  }
  return Buffer.concat(pieces)
}
