import { Dispatcher } from 'undici'
import { UsageError } from '#base/command.ts'
import type { Admittance } from '#egress/dispatch/pinned.ts'
import { AttestedEndpoint } from '#egress/endpoint.ts'
import { Refused } from '#egress/refused.ts'
import { proxyRules } from '#egress/verdict/verdict.ts'
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
export function openRouter({ dataDir }: ProxyConfig, config: EndpointConfig, apiKey: string): AttestedRouter {
  const newest = openNewest(dataDir)
  const endpoint = new AttestedEndpoint({
    target: config.target,
    expected: config,
    rules: proxyRules,
    // What is accepted is for the running proxy to remember, whose file it is.
    memory: { newestIssuedAt: () => newest.of(config), record: () => 'recorded' },
    onVerdict() {},
    onCheck() {},
    onThrown() {},
  })

  return {
    async get(path) {
      try {
        if (endpoint.admit() === undefined) await endpoint.attest()
        const admittance = await endpoint.awaitAdmittance({ since: endpoint.now })
        const answer = await new Way(endpoint, admittance).request({
          method: 'GET',
          path: `${config.basePath}/v1${path}`,
          headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
        })
        return { status: answer.statusCode, body: parse(await readAll(answer.body)) }
      } catch (thrown) {
        throw thrown instanceof Refused ? thrown.ground : thrown
      }
    },
    close: () => endpoint.stop(new Error('The command ends.')),
  }
}

/** The endpoint as undici's own methods know one. */
class Way extends Dispatcher {
  readonly #endpoint: AttestedEndpoint
  readonly #admittance: Admittance

  constructor(endpoint: AttestedEndpoint, admittance: Admittance) {
    super()
    this.#endpoint = endpoint
    this.#admittance = admittance
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const outgoing = { compose: () => options, patience: { since: this.#endpoint.now } }
    this.#endpoint.dispatch(this.#admittance, outgoing, handler)
    return true
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
