import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, get } from 'node:https'
import { checkServerIdentity } from 'node:tls'
import { limits } from '#contract'
import type { EvidenceSource } from '../config/router.ts'

const OK = 200

/** Fetches a bundle's bytes over TLS: no redirects, 1 MiB at most, 15 s at most (decisions, 8). */
export async function fetchBundle({ hostname, url, caFile }: EvidenceSource): Promise<Buffer> {
  const signal = AbortSignal.timeout(limits.bundleFetchMs)
  const request = get(url, {
    agent: new Agent({ maxCachedSessions: 0 }),
    servername: hostname,
    checkServerIdentity: (_, certificate) => checkServerIdentity(hostname, certificate),
    ...(caFile === undefined ? {} : { ca: await readFile(caFile) }),
    headers: { host: hostname },
    signal,
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  try {
    if (response.statusCode !== OK) throw new Error(`The platform answered ${response.statusCode}.`)
    return await readCapped(response)
  } finally {
    request.destroy()
  }
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
