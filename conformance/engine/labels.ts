import { isObject } from '#base/object.ts'
import { createCertificate } from '../../platform/certificates/certificate.ts'
import { authority, opaque } from '../../platform/certificates/extensions.ts'
import { generateKeys } from '../../platform/certificates/keys.ts'
import { distinguishedName } from '../../platform/certificates/name.ts'
import type { Context } from './context.ts'
import { expectBundle, wireDigest } from './evidence.ts'
import { expectStatus } from './expect.ts'
import { type Exchange, objectOf } from './http/exchange.ts'
import { addressFor } from './invitations.ts'
import type { Need } from './needs.ts'

/** What scenarios about labels need. */
export const labelNeeds: readonly Need[] = [
  'feature:evidence',
  'key',
  'forwarded',
  'platform',
  'endpoint:published',
  'model:published',
  'publishEvidence',
]

/** The extension that names the hardware (MODL-23). */
const TEE_EXTENSION = '0.6.9.42.840.113741.1337.6'

const HOUR_MS = 3_600_000

/** A certificate that ends a chain, in PEM; without a value it has no such extension. */
export async function rootWith(value: Uint8Array | undefined): Promise<string> {
  const { publicKey, privateKey } = await generateKeys('ES256')
  const name = distinguishedName('Conformance suite', 'Root that names hardware')
  const extensions = [...authority(1), ...(value ? [opaque(TEE_EXTENSION, value)] : [])]
  return createCertificate(
    { subject: name, publicKey, extensions, validDays: 1 },
    { name, privateKey },
    new Date(),
  ).toString()
}

/** Publishes a bundle whose chain ends so, and reads the model's entry then. */
export async function entryFor(context: Context, root: string): Promise<Exchange> {
  const { published: endpoint = '' } = context.target.endpoints
  const { bundle, payload } = expectBundle(await context.published())
  // Later than any that was published here before: the newest is the one that counts.
  const issuedAt = new Date(Date.now() - HOUR_MS).toISOString()
  const named = { hostname: `${endpoint}.localhost`, issuedAt }
  const [head, , signature] = bundle.jws.split('.')
  const claims = Buffer.from(JSON.stringify({ ...payload, ...named })).toString('base64url')
  const certChain = [...bundle.certChain.slice(0, -1), root]
  const text = JSON.stringify({ ...bundle, ...named, certChain, jws: `${head}.${claims}.${signature}` })
  // The budget of the suite's own address is for everybody.
  const headers = { 'x-forwarded-for': addressFor(text) }
  await context.hooks('publishEvidence', { endpoint, bundle: text })
  await context.eventually(
    'the bundle is relayed',
    async () => {
      const relayed = await context.request('getEndpointEvidence', {
        params: { endpoint },
        headers,
        key: null,
      })
      return relayed.status === 200 && wireDigest(relayed.body) === wireDigest(text)
    },
    context.target.limits.evidencePollMs * 8,
  )
  return context.request('getModel', { params: { id: context.model('published') } })
}

/** What an entry says of its endpoint's hardware. */
export function labelIn(entry: Exchange): unknown {
  expectStatus(entry, 200)
  const { endpoint: told } = objectOf(entry)
  return isObject(told) ? told.tee : undefined
}
