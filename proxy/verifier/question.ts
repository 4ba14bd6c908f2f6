import {
  builtInVendors,
  type Circumstances,
  type Expectation,
  parseDigest,
  parsePin,
  parseRoots,
  type TrustedRoot,
  type Vendors,
} from '#attestation'
import type { VerifierRequest } from '#contract/models'
import { isVerifierRequest } from '#contract/validators/verifier-request'
import { compilePolicy } from '../policy/cel.ts'

/** A request that cannot be meant; a bundle that cannot be read is none of these. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
}

/** What is asked about a bundle. */
export interface Question {
  readonly id: string
  readonly bytes: Uint8Array
  readonly status: number
  readonly expected: Expectation & Circumstances
  /** Vendors of hardware that there are for vectors alone; the real ones when undefined. */
  readonly vendors: Vendors | undefined
}

/** Reads a request; throws `RequestError` for one that is none. */
export function parseQuestion(text: string): Question {
  const request = parseRequest(text)
  const { id, bundle, status = 200, test_vendors: vendors } = request
  return {
    id,
    bytes: Buffer.from(bundle, 'base64'),
    status,
    expected: expectationOf(request),
    vendors: vendors && meant('A vendor of hardware is none', () => readVendors(vendors)),
  }
}

function parseRequest(text: string): VerifierRequest {
  const request = meant('The request is no JSON', () => JSON.parse(text) as unknown)
  if (isVerifierRequest(request)) return request
  const [mistake] = isVerifierRequest.errors ?? []
  throw new RequestError(`The request is not as it should be: ${mistake?.instancePath} ${mistake?.message}.`)
}

function expectationOf(request: VerifierRequest): Expectation & Circumstances {
  const { observed_leaf: leaf, newest_issued_at: newest, policies = [] } = request
  return {
    hostname: request.hostname,
    roots: request.roots.flatMap(readRoot),
    pins: request.pins.map((pin) => meant(`The pin ${JSON.stringify(pin)} is none`, () => parsePin(pin))),
    policies: policies.map((allow, index) =>
      meant(`Policy ${index + 1} cannot be read`, () => compilePolicy(`policy ${index + 1}`, allow)),
    ),
    observedLeaf: leaf === null ? undefined : meant('observed_leaf is no digest', () => parseDigest(leaf)),
    acceptProducerAsserted: request.accept_producer_asserted,
    now: new Date(request.now),
    maxBundleAgeMs: request.max_bundle_age_ms,
    newestIssuedAt: newest === null ? undefined : new Date(newest),
  }
}

function readRoot({
  pem,
  require_leaf_name: requireLeafName,
  attested,
}: VerifierRequest['roots'][number]): TrustedRoot[] {
  const options = { requireLeafName, attested: attested?.measurements }
  return meant('A root is no certificate', () => parseRoots(pem, options))
}

function readVendors({ amd = [], intel }: NonNullable<VerifierRequest['test_vendors']>): Vendors {
  const authorities = amd.map(({ product, ark, vcek, vlek }) => {
    return [product, { ark: derOf(ark), vcek: derOf(vcek), vlek: derOf(vlek) }] as const
  })
  return {
    amd: Object.fromEntries(authorities),
    intel: intel === undefined ? builtInVendors.intel : derOf(intel),
  }
}

function derOf(pem: string): Uint8Array {
  return parseRoots(pem)[0]!.der
}

function meant<T>(otherwise: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new RequestError(`${otherwise}: ${(cause as Error).message}`, { cause })
  }
}
