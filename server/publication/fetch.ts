import { readFile } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, get } from 'node:https'
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { limits } from '#contract/limits'
import { answerTo, unlessAborted } from '#egress/evidence/answer.ts'
import type { EvidenceSource } from '../config/router.ts'

const OK = 200

/**
 * Fetches a bundle's bytes over TLS: no redirects, 1 MiB at most, 15 s at most (VRFY-04). It settles within that
 * time whatever becomes of the connection.
 */
export async function fetchBundle(
  { hostname, url, caFile }: EvidenceSource,
  timeoutMs: number = limits.bundleFetchMs,
): Promise<Buffer> {
  const ca = caFile === undefined ? undefined : await readFile(caFile).catch(blameFile)
  const request = get(url, {
    agent: new Agent({ maxCachedSessions: 0 }),
    // An address is no name for a handshake; Node leaves it out by itself when it is told none.
    ...(isIP(hostname) === 0 && { servername: hostname }),
    checkServerIdentity: (_, certificate) => checkServerIdentity(hostname, certificate),
    ...(ca && { ca }),
    headers: { host: hostname },
  })
  try {
    return await unlessAborted(AbortSignal.timeout(timeoutMs), read(request))
  } finally {
    request.destroy()
  }
}

function blameFile(cause: Error): never {
  throw new Error(`evidenceCaFile of the endpoint cannot be read (${cause.message})`, { cause })
}

async function read(request: ClientRequest): Promise<Buffer> {
  const response = await answerTo(request)
  if (response.statusCode !== OK) throw new Error(`The platform answered ${response.statusCode}.`)
  return readCapped(response)
}

async function readCapped(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limits.maxBundleBytes) throw new Error('The bundle is larger than 1 MiB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
