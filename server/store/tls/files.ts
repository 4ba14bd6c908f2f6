import { readFileSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContextOptions } from 'node:tls'
import { DatabaseUrlError, type TlsParameters } from './parameters.ts'

/** What a handshake is to use. */
export interface Credentials
  extends Pick<SecureContextOptions, 'ca' | 'crl' | 'cert' | 'key' | 'passphrase'> {
  /** Whether the server's certificate has to lead to one of `ca`. */
  readonly verifies: boolean
}

/** Where libpq looks when it is told nothing. */
const USUAL = {
  root: 'root.crt',
  revocations: 'root.crl',
  certificate: 'postgresql.crt',
  key: 'postgresql.key',
}

const USUAL_FOLDER = '.postgresql'

const usual = (name: keyof typeof USUAL): string => join(homedir(), USUAL_FOLDER, USUAL[name])

/**
 * Reads the files that the parameters name, anew for each connection, so that one that was renewed is taken up. As in
 * libpq, roots are used wherever there are any, whatever the mode: `require` with a root file verifies as `verify-ca`
 * does; and a client certificate that is not there is not sent. Throws `DatabaseUrlError` naming the setting.
 */
export function readCredentials(parameters: TlsParameters): Credentials {
  return { ...readRoots(parameters), ...readOwn(parameters) }
}

function readRoots({ mode, rootCertificates, revocations }: TlsParameters): Credentials {
  if (rootCertificates === 'system') {
    return { verifies: true, ca: getCACertificates('system'), ...readRevocations(revocations) }
  }
  const file = rootCertificates ?? usual('root')
  if (find(file) === undefined) {
    if (!mode.startsWith('verify')) return { verifies: false }
    throw new DatabaseUrlError(
      `sslrootcert=${file}`,
      `does not exist, and sslmode=${mode} needs it: name the file, or sslrootcert=system for the roots of this machine`,
    )
  }
  const ca = read('sslrootcert', file)
  // Node takes its own roots in place of none: whoever has any certificate at all would be the database.
  if (!CERTIFICATE.test(ca)) throw new DatabaseUrlError(`sslrootcert=${file}`, 'holds no certificate')
  return { verifies: true, ca, ...readRevocations(revocations) }
}

/** Under each name that OpenSSL knows it by. */
const CERTIFICATE = /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/m

function readRevocations(revocations: string | undefined): Pick<Credentials, 'crl'> {
  const file = revocations ?? usual('revocations')
  if (find(file) === undefined) return {}
  const crl = read('sslcrl', file)
  refuseUnusable(`sslcrl=${file}`, { crl })
  return { crl }
}

function readOwn(parameters: TlsParameters): Partial<Credentials> {
  const { certificate = usual('certificate'), key = usual('key'), passphrase, sendsCertificate } = parameters
  if (!sendsCertificate || find(certificate) === undefined) return {}
  const found = find(key)
  if (found === undefined)
    throw new DatabaseUrlError(`sslkey=${key}`, 'does not exist, but its certificate does')
  if (isExposed(found)) {
    throw new DatabaseUrlError(
      `sslkey=${key}`,
      'can be read by others: it needs mode 0600 or less, or 0640 where root owns it',
    )
  }
  const [cert, text] = [read('sslcert', certificate), read('sslkey', key)]
  const own = { cert, key: text, ...(passphrase !== undefined && { passphrase }) }
  refuseUnusable(`sslcert=${certificate}, sslkey=${key} or sslpassword`, own)
  return own
}

/** What OpenSSL says of a file names none. */
function refuseUnusable(setting: string, options: SecureContextOptions): void {
  try {
    createSecureContext(options)
  } catch (cause) {
    throw new DatabaseUrlError(setting, `is not usable (${(cause as Error).message})`)
  }
}

const ROOT_MAY = 0o640
const OWNER_MAY = 0o700

function isExposed({ uid, mode }: Stats): boolean {
  return (mode & 0o777 & ~(uid === 0 ? ROOT_MAY | OWNER_MAY : OWNER_MAY)) !== 0
}

/** Undefined where it is not, or not for this program to see: of a usual place that says nothing, as in libpq. */
function find(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (cause) {
    if (file.startsWith(join(homedir(), USUAL_FOLDER))) return undefined
    throw new DatabaseUrlError(file, `cannot be looked at (${(cause as Error).message})`)
  }
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new DatabaseUrlError(`${setting}=${file}`, `cannot be read (${(cause as Error).message})`)
  }
}
