import { X509Certificate } from 'node:crypto'
import { type Digest, digestOf } from '#attestation'
import { issueCertificate, toPem } from '../../attestation/testing/certificates.ts'
import { alternativeNames, basicConstraints } from '../../attestation/testing/extensions.ts'
import { makeKeys } from '../../attestation/testing/keys.ts'

/** A key and a certificate that signed itself, in one PEM. */
export interface Identity {
  readonly pem: string
  readonly fingerprint: Digest
}

/** The hostname of every endpoint in these tests. */
export const HOSTNAME = 'router.localhost'

const DAY_MS = 86_400_000

/** Makes a new identity, for the hostname of the tests unless another is named. */
export function createIdentity(hostname = HOSTNAME): Identity {
  const keys = makeKeys('ES256')
  const now = Date.now()
  const der = issueCertificate({
    subject: hostname,
    issuer: hostname,
    keys,
    signer: keys,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + DAY_MS),
    // It is a root as well, for whoever is to trust it.
    extensions: [basicConstraints(true), alternativeNames(['dns', hostname])],
  })
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  return { pem: `${key}${toPem(der)}`, fingerprint: digestOf(new X509Certificate(der).raw) }
}
