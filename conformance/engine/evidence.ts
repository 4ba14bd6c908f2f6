import { createHash, verify, X509Certificate } from 'node:crypto'
import { isObject } from '#base/object.ts'
import type { EvidenceBundle, EvidencePayload } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import * as assert from './assert.ts'
import { showing, shownRules } from './checks.ts'
import type { Context } from './context.ts'
import { expectStatus } from './expect.ts'
import { type Exchange, jsonOf, textOf } from './http/exchange.ts'
import { parseJson } from './http/json.ts'

/** A bundle as it was served, and what its signature covers; nothing of it has been verified. */
export interface ReadBundle {
  readonly bundle: EvidenceBundle
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: EvidencePayload
  /** From the one that signs to the root. */
  readonly chain: readonly X509Certificate[]
}

/**
 * Asserts a 200 with a bundle in the form of the contract, and reads it. Its signature is not checked: `isSigned`. What is
 * no bundle breaks the rules of bundles; what a scenario wanted to show by it is untold.
 */
export function expectBundle(exchange: Exchange): ReadBundle {
  if (exchange.status === 503 && /"evidence_not_fetched"/.test(textOf(exchange)))
    assert.failAs([], 'nothing of the endpoint has been fetched yet')
  expectStatus(exchange, 200)
  const bundle = showing(shownOf(''), () => jsonOf(exchange))
  if (!isEvidenceBundle(bundle)) {
    const [first] = isEvidenceBundle.errors ?? []
    const at = first?.instancePath ?? ''
    assert.failAs(shownOf(at), `the bundle is not as the contract says: ${at || 'it'} ${first?.message}`)
  }
  const [header = '', payload = '', signature = ''] = bundle.jws.split('.')
  assert.notEqual(signature, '', 'the jws has no signature')
  return {
    bundle,
    header: decode(header),
    payload: decode(payload) as unknown as EvidencePayload,
    chain: bundle.certChain.map(certificateIn),
  }
}

/** Which of the rules that are shown speak of that member of a bundle. */
function shownOf(at: string): readonly RuleId[] {
  if (HEAD.includes(at)) return shownRules().filter((rule) => OF_HEAD.includes(rule))
  const isOfDigest = (rule: RuleId) => at === '/certFingerprint' && rule === 'DIG-02'
  return shownRules().filter((rule) => OF_BUNDLES.includes(rule) || /^BNDL-/.test(rule) || isOfDigest(rule))
}

/** What a bundle calls itself, and whose rules that is: where it is wrong, the rest is untold. */
const HEAD: readonly string[] = ['/kind', '/version']
const OF_HEAD: readonly RuleId[] = ['BNDL-01', 'BNDL-02', 'BNDL-14', 'EP-22', 'VERS-04']

/** Rules that say that a path answers a bundle. */
const OF_BUNDLES: readonly RuleId[] = ['EP-16', 'EP-17', 'EP-18', 'EP-22', 'EVID-01', 'EVID-20']

/** Whether a text names an endpoint of the target: as the target file does, or as evidence of the same hostname. */
export async function isEndpoint(context: Context, name: string, told: string): Promise<boolean> {
  if (told === name) return true
  const read = (endpoint: string) =>
    context.request('getEndpointEvidence', { key: null, params: { endpoint } })
  const [wanted, found] = [await read(name), await read(told)]
  return found.status === 200 && expectBundle(found).bundle.hostname === expectBundle(wanted).bundle.hostname
}

/** The SHA-256 of bytes in wire form. */
export function wireDigest(bytes: Buffer | string): string {
  return `sha256/${createHash('sha256').update(bytes).digest('base64url')}`
}

/** JSON in its canonical form (RFC 8785): numbers and texts as ECMAScript writes them, members in order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

/** Whether the key of the chain's first certificate signed the bundle; false for an algorithm that is not accepted. */
export function isSigned({ bundle, header, chain }: ReadBundle): boolean {
  const [head = '', payload = '', signature = ''] = bundle.jws.split('.')
  const key = chain[0]?.publicKey
  const algorithm = algorithms[String(header.alg)]
  if (key === undefined || algorithm === undefined) return false
  const form = { key, dsaEncoding: 'ieee-p1363' } as const
  try {
    return verify(
      algorithm.hash,
      Buffer.from(`${head}.${payload}`),
      form,
      Buffer.from(signature, 'base64url'),
    )
  } catch {
    // A key of another kind than the algorithm's.
    return false
  }
}

function certificateIn(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    return assert.fail(`the chain holds no certificate but ${JSON.stringify(pem.slice(0, 80))}`)
  }
}

const algorithms: Readonly<Record<string, { readonly hash: string | null }>> = {
  RS256: { hash: 'sha256' },
  ES256: { hash: 'sha256' },
  ES384: { hash: 'sha384' },
  ES256K: { hash: 'sha256' },
  EdDSA: { hash: null },
}

/** The labels of `endpoint.tee`, in the order of their numbers (MODL-22). */
const labels = [
  undefined,
  'AMD SEV-SNP (QEMU)',
  'Intel TDX (QEMU)',
  'Intel TDX (GCP)',
  'Intel TDX (Azure)',
  'AMD SEV-SNP (Azure)',
]

/** DER of the object identifier 0.6.9.42.840.113741.1337.6. */
const TEE_OID = Buffer.from('060b06092a864886f84d8a3906', 'hex')

/** The label that the last certificate of a chain names; null when it names none. */
export function teeOf({ chain }: ReadBundle): string | null {
  const der = chain.at(-1)?.raw ?? Buffer.alloc(0)
  const at = der.indexOf(TEE_OID)
  if (at === -1) return null
  // What follows the identifier is the value: an octet string with a short length.
  const value = der.subarray(at + TEE_OID.length)
  assert.equal(value[0], 4, 'the extension is written in a way that the suite does not read')
  return labels[(value[2] ?? 0) >> 3] ?? null
}

function decode(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  return assert.fail('a part of the jws is no JSON object in base64url')
}
