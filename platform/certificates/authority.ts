import { type KeyObject, randomBytes, type X509Certificate } from 'node:crypto'
import type { RootLabel } from '#contract/models'
import { createCertificate, subjectOf } from './certificate.ts'
import { authority, endEntity, keyIds, serverAuth } from './extensions.ts'
import { generateKeys } from './keys.ts'
import { distinguishedName } from './name.ts'
import { teeExtension } from './tee.ts'

/** A root and an intermediate authority below it, with the intermediate's key, which signs certificates. */
export interface Authority {
  readonly root: X509Certificate
  readonly intermediate: X509Certificate
  readonly privateKey: KeyObject
}

const ORGANISATION = 'Reference platform'
const AUTHORITY_DAYS = 3_650
const LEAF_DAYS = 365

/** Makes a root and two intermediate authorities below it, valid for ten years. The root's key is not kept. */
export async function createAuthorities(hardware: RootLabel, now: Date): Promise<[Authority, Authority]> {
  const rootKeys = await generateKeys('ES256')
  const mark = randomBytes(4).toString('hex')
  const name = distinguishedName(ORGANISATION, `Throw-away root ${mark}`)
  const issuer = { name, privateKey: rootKeys.privateKey }
  const root = createCertificate(
    {
      subject: name,
      publicKey: rootKeys.publicKey,
      extensions: [
        ...authority(1),
        ...keyIds(rootKeys.publicKey, rootKeys.publicKey),
        teeExtension(hardware),
      ],
      validDays: AUTHORITY_DAYS,
    },
    issuer,
    now,
  )
  const below = async (called: string): Promise<Authority> => {
    const { publicKey, privateKey } = await generateKeys('ES256')
    const extensions = [...authority(0), ...keyIds(publicKey, rootKeys.publicKey)]
    const subject = distinguishedName(ORGANISATION, `Throw-away ${called} ${mark}`)
    const intermediate = createCertificate(
      { subject, publicKey, extensions, validDays: AUTHORITY_DAYS },
      issuer,
      now,
    )
    return { root, intermediate, privateKey }
  }
  return [await below('intermediate'), await below('other intermediate')]
}

/** What a certificate of the platform is for. */
export type Purpose = 'signing' | 'tls'

/** Issues a certificate of a year for a key: one for TLS also names `localhost` and 127.0.0.1, for local clients. */
export function certify(
  { intermediate, privateKey }: Authority,
  publicKey: KeyObject,
  purpose: Purpose,
  hostname: string,
  now: Date,
): X509Certificate {
  const tls = purpose === 'tls'
  const names = tls ? [...new Set([hostname, 'localhost', '127.0.0.1'])] : [hostname]
  return createCertificate(
    {
      subject: distinguishedName(ORGANISATION, tls ? 'TLS' : 'Evidence signer'),
      publicKey,
      extensions: [
        ...endEntity(names),
        ...keyIds(publicKey, intermediate.publicKey),
        ...(tls ? [serverAuth()] : []),
      ],
      validDays: LEAF_DAYS,
    },
    { name: subjectOf(intermediate), privateKey },
    now,
  )
}
