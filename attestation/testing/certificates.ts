import { constants, hash, sign } from 'node:crypto'
import * as asn1 from './asn1.ts'
import type { KeyPair } from './keys.ts'

/** An extension, ready to be put into a certificate. */
export interface Extension {
  readonly oid: string
  readonly critical: boolean
  readonly content: Uint8Array
}

/** What a certificate shall say. */
export interface CertificateRequest {
  /** Common name; empty for an empty name. */
  readonly subject: string
  readonly issuer: string
  readonly keys: KeyPair
  /** Who signs it. */
  readonly signer: KeyPair
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions?: readonly Extension[]
  readonly hash?: 'sha1' | 'sha256'
  /** Whether an RSA key signs with PSS instead of PKCS #1. */
  readonly pss?: boolean
  /** Whether subject and authority key identifiers are added. */
  readonly identifiers?: boolean
}

/** Makes a certificate of version 3, in DER. */
export function issueCertificate(request: CertificateRequest): Buffer {
  const algorithm = signatureAlgorithmOf(request)
  const tbs = asn1.sequence(
    asn1.around(0, asn1.integer(2)),
    asn1.integer(hash('sha256', request.subject, 'buffer').readUIntBE(0, 6)),
    algorithm,
    nameOf(request.issuer),
    asn1.sequence(asn1.time(request.notBefore), asn1.time(request.notAfter)),
    nameOf(request.subject),
    spkiOf(request.keys),
    asn1.around(3, asn1.sequence(...extensionsOf(request).map(encodeExtension))),
  )
  return asn1.sequence(tbs, algorithm, asn1.bits(signatureOf(tbs, request)))
}

/** A certificate in PEM. */
export function toPem(der: Uint8Array): string {
  const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

/** A distinguished name of one common name. */
export function nameOf(commonName: string): Buffer {
  if (commonName === '') return asn1.sequence()
  return asn1.sequence(asn1.set(asn1.sequence(asn1.oid('2.5.4.3'), asn1.utf8(commonName))))
}

function extensionsOf({
  extensions = [],
  identifiers = true,
  keys,
  signer,
}: CertificateRequest): Extension[] {
  if (!identifiers) return [...extensions]
  const subject = { oid: '2.5.29.14', critical: false, content: asn1.octets(keyIdOf(keys)) }
  const authority = {
    oid: '2.5.29.35',
    critical: false,
    content: asn1.sequence(asn1.tagged(0, keyIdOf(signer))),
  }
  return [...extensions, subject, authority]
}

function encodeExtension({ oid, critical, content }: Extension): Buffer {
  return asn1.sequence(asn1.oid(oid), ...(critical ? [asn1.boolean(true)] : []), asn1.octets(content))
}

function spkiOf({ publicKey }: KeyPair): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function keyIdOf(keys: KeyPair): Buffer {
  return hash('sha1', spkiOf(keys), 'buffer')
}

function signatureAlgorithmOf({ signer, hash = 'sha256', pss = false }: CertificateRequest): Buffer {
  const type = signer.privateKey.asymmetricKeyType
  if (type === 'ed25519') return asn1.sequence(asn1.oid('1.3.101.112'))
  if (type === 'ec')
    return asn1.sequence(asn1.oid(hash === 'sha1' ? '1.2.840.10045.4.1' : '1.2.840.10045.4.3.2'))
  if (pss) return asn1.sequence(asn1.oid('1.2.840.113549.1.1.10'), pssParametersOf(hash))
  const rsa = hash === 'sha1' ? '1.2.840.113549.1.1.5' : '1.2.840.113549.1.1.11'
  return asn1.sequence(asn1.oid(rsa), asn1.nothing())
}

/** The defaults of PSS are those of SHA-1. */
function pssParametersOf(hash: 'sha1' | 'sha256'): Buffer {
  if (hash === 'sha1') return asn1.sequence()
  const sha256 = asn1.sequence(asn1.oid('2.16.840.1.101.3.4.2.1'))
  const mask = asn1.sequence(asn1.oid('1.2.840.113549.1.1.8'), sha256)
  return asn1.sequence(asn1.around(0, sha256), asn1.around(1, mask), asn1.around(2, asn1.integer(32)))
}

function signatureOf(tbs: Buffer, { signer, hash = 'sha256', pss = false }: CertificateRequest): Buffer {
  const { privateKey: key } = signer
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return sign(key.asymmetricKeyType === 'ed25519' ? null : hash, tbs, { key, ...(pss ? padding : {}) })
}
