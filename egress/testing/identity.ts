import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { type Digest, digestOf } from '#attestation'

/** A key and a certificate that signed itself, as OpenSSL makes them, in one PEM. */
export interface Identity {
  readonly pem: string
  readonly fingerprint: Digest
}

/** The hostname of every endpoint in these tests. */
export const HOSTNAME = 'router.localhost'

/** Makes a new identity for the hostname of the tests. */
export function createIdentity(): Identity {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', `/CN=${HOSTNAME}`, '-addext', `subjectAltName=DNS:${HOSTNAME}`]
  const pem = execFileSync('openssl', [...args, ...names, '-days', '2', '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { pem, fingerprint: digestOf(new X509Certificate(pem).raw) }
}
