import type { Dispatcher } from 'undici'
import { UsageError } from '#base/command.ts'
import { limits } from '#contract/limits'
import { Pools } from '#egress/connection/pools.ts'
import { createAttest } from '#egress/evidence/attest.ts'
import type { EndpointConfig, ProxyConfig } from '../config/proxy.ts'
import { openNewest } from '../memory/newest.ts'

/** An answer of the router's, read to its end. */
export interface RouterAnswer {
  readonly status: number
  readonly body: unknown
}

/** A router that is asked over verified connections alone, as the running proxy does. */
export interface AttestedRouter {
  /** Asks for a path below `/v1`. Throws the refusal of the verification before the key is shown to anybody. */
  get(path: string): Promise<RouterAnswer>
  close(): Promise<void>
}

/** Longest answer that is read (ours). */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Opens the way to an endpoint's router; the key goes to the certificate that the evidence names, and nowhere else. */
export function openRouter(
  { dataDir }: ProxyConfig,
  endpoint: EndpointConfig,
  apiKey: string,
): AttestedRouter {
  const pools = new Pools(endpoint.target)
  const attest = createAttest(endpoint.target, () => new Date())
  const newest = openNewest(dataDir)
  let pool: Dispatcher | undefined
  let checkedAtMs = 0

  return {
    async get(path) {
      const answer = await (await admitted()).request({
        method: 'GET',
        path: `${endpoint.basePath}/v1${path}`,
        headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      })
      return { status: answer.statusCode, body: parse(await readAll(answer.body)) }
    },
    close: () => pools.destroy(new Error('The command ends.')),
  }

  async function admitted(): Promise<Dispatcher> {
    const now = performance.now()
    if (pool !== undefined && now - checkedAtMs < limits.reattestMs) return pool
    const signal = AbortSignal.timeout(limits.bundleFetchMs)
    const outcome = await attest(endpoint, newest.of(endpoint), signal)
    if (outcome.kind !== 'passed') throw outcome.ground
    checkedAtMs = now
    pool = pools.of(outcome.admission.certFingerprint)
    return pool
  }
}

/** Reads a key from the environment: an option would stand in the list of processes. */
export function apiKeyFrom(name: string): string {
  const key = process.env[name]?.trim() ?? ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new UsageError(`--api-key-env: the environment variable ${name} holds no key.`)
}

/** What an error of the router's calls itself. */
export function codeIn(body: unknown): string {
  const { error } = (body ?? {}) as { readonly error?: { readonly code?: unknown } }
  return typeof error?.code === 'string' && /^[a-z_]{1,64}$/.test(error.code) ? error.code : 'no code'
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > MAX_ANSWER_BYTES)
      throw new Error('The router’s answer is longer than any that is read here.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
