import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isObject } from '#base/object.ts'
import { messageOf } from '#base/thrown.ts'
import type { SignatureAlgorithm } from '#contract/models'
import { ConfigError } from '../config/error.ts'
import { MoveError } from './authorities.ts'
import { isAlgorithm } from './certificates/keys.ts'
import { ChangeError, changeDeployment } from './deployment/change.ts'
import type { Resource } from './deployment/resource.ts'
import type { Platform, Resign } from './platform.ts'
import { refuse } from './refusal.ts'
import type { Resigner } from './resigner.ts'
import { BundleTooLarge } from './signing/bundle.ts'

/** What can be controlled. */
export interface Controlled {
  readonly platform: Platform
  readonly resigner: Resigner
  /** Reads the configured deployment anew. */
  readonly restore: () => readonly Resource[]
  /** What `GET /state` answers; every other answer is the same, after the change. */
  readonly state: () => unknown
}

/** What an action gets: when to sign, and the JSON body if there is one. */
type Action = (controlled: Controlled, resign: Resign, body: unknown) => Promise<void> | void

const actions: Readonly<Record<string, Action>> = {
  'GET /state': () => undefined,
  'POST /hold': ({ resigner, platform }) => {
    resigner.hold()
    // A signing that is under way would change the bytes once more.
    return platform.settled()
  },
  'POST /release': ({ resigner }) => resigner.release(),
  'POST /resign': ({ platform }) => platform.resign(),
  'POST /rotate/leaf': ({ platform }, resign) => platform.rotateLeaf(resign),
  'POST /rotate/signer': ({ platform }, resign, body) => platform.rotateSigner(resign, algorithmIn(body)),
  'POST /rotate/chain': ({ platform }, resign) => platform.rotateChain(resign),
  'POST /rotate/root': ({ platform }, resign) => platform.rotateRoot(resign),
  'POST /prepare/root': ({ platform }) => platform.prepareRoot(),
  'POST /rotate/deployment': ({ platform, restore }, resign, body) =>
    platform.rotateDeployment(resign, (resources) => changeDeployment(resources, body, restore)),
}

/** A request that cannot be read; the message says why. */
class ControlError extends Error {}

/** Largest request of the test control (ours). */
const MAX_BODY_BYTES = 1_048_576

/**
 * Creates the control server, for tests; README.md has its paths. What cannot be done answers `invalid_json` and
 * changes nothing, a path that is not there `not_found`, and a request with an `Origin` `forbidden_origin`. It asks
 * for no key: the configuration refuses any address but loopback.
 */
export function createControl(controlled: Controlled): Server {
  return createServer((request, response) => {
    handle(controlled, request, response).catch((error: unknown) => {
      const asked = [ControlError, ChangeError, ConfigError, MoveError, BundleTooLarge].some(
        (kind) => error instanceof kind,
      )
      const message = messageOf(error)
      refuse(request, response, asked ? 'invalid_json' : 'internal', message)
    })
  })
}

async function handle(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, headers, url } = request
  const { pathname, searchParams } = new URL(url ?? '/', 'http://control')
  // Pages are kept out: their requests name where they come from.
  if (headers.origin !== undefined) {
    return refuse(request, response, 'forbidden_origin', 'No page may control the gateway.')
  }
  const action = actions[`${method} ${pathname}`]
  if (!action) {
    return refuse(request, response, 'not_found', `The control address knows no ${method} ${pathname}.`)
  }
  await action(controlled, resignIn(searchParams), await readJson(request))
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(`${JSON.stringify(controlled.state())}\n`)
}

function resignIn(parameters: URLSearchParams): Resign {
  const when = parameters.get('resign') ?? 'now'
  if (when !== 'now' && when !== 'later') throw new ControlError(`resign is now or later, not ${when}.`)
  return when
}

function algorithmIn(body: unknown): SignatureAlgorithm | undefined {
  if (body === undefined) return undefined
  if (!isObject(body)) throw new ControlError('The body must be an object.')
  const { algorithm, ...others } = body
  if (Object.keys(others).length > 0)
    throw new ControlError(`${Object.keys(others).join(', ')} is not known.`)
  if (!isAlgorithm(algorithm)) throw new ControlError(`Bundles cannot be signed with ${String(algorithm)}.`)
  return algorithm
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new ControlError(`The body has more than ${MAX_BODY_BYTES} bytes.`)
    parts.push(part)
  }
  if (bytes === 0) return undefined
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch (cause) {
    throw new ControlError('The body is not JSON.', { cause })
  }
}
