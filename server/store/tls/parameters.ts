/** The values of `sslmode`, weakest first (libpq). */
const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** How much a connection to the database insists on TLS. */
export type Mode = (typeof modes)[number]

/** What a database URL says about TLS, with the meanings that libpq gives it. Files are not read yet. */
export interface TlsParameters {
  readonly mode: Mode
  /** A PEM file, or `system`; undefined: libpq's usual place. */
  readonly rootCertificates: string | undefined
  readonly revocations: string | undefined
  /** The client's own certificate and key; undefined: libpq's usual places. */
  readonly certificate: string | undefined
  readonly key: string | undefined
  readonly passphrase: string | undefined
  /** Whether a certificate of the client's is sent where there is one. */
  readonly sendsCertificate: boolean
  readonly minVersion: Version
  readonly maxVersion: Version | undefined
  /** Whether the server is told its name in the handshake. */
  readonly sendsName: boolean
  /** TLS from the first byte on, without asking the server before (PostgreSQL 17). */
  readonly isDirect: boolean
}

/** As libpq spells them. */
type Version = (typeof versions)[number]

/** A setting of a database URL that means nothing, or that this program cannot keep; `setting` is its name. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError'
  readonly setting: string

  constructor(setting: string, message: string) {
    super(`${setting} ${message}`)
    this.setting = setting
  }
}

const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const
const switches = ['0', '1'] as const

// Whatever begins so says how a connection is protected: what is not understood must not be passed over. In other letters
// it is a slip, which the driver would hand to the server, long after the password.
const PROTECTION = /^(ssl|gss|krb|require|channel_?binding$|oauth)/i

const UNBOUND =
  'cannot be kept: the driver knows no SCRAM-SHA-256-PLUS. sslmode=verify-full protects against the same; then say prefer'

/** Parameters that are accepted with these values only, and what to say of others. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['disable', 'prefer', 'require'],
  gssencmode: ['disable', 'prefer'],
  sslcompression: ['0'],
}

const known = new Set([
  ...Object.keys(fixed),
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcrl',
  'sslcert',
  'sslkey',
  'sslpassword',
  'sslcertmode',
  'sslsni',
  'sslnegotiation',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
])

/**
 * Takes what is about TLS out of a database URL. Gives the parameters and the URL without them, for the driver would
 * give them other meanings. Throws `DatabaseUrlError` naming the setting that has no meaning here.
 */
export function takeTlsParameters(url: string): { readonly url: string; readonly tls: TlsParameters } {
  const start = url.indexOf('?')
  if (start < 0) return { url, tls: parse(new Map()) }
  const given = new Map<string, string>()
  const others: string[] = []
  for (const pair of url.slice(start + 1).split('&')) {
    const [name, value] = readPair(pair)
    // The last one counts, as it does in libpq.
    if (PROTECTION.test(name)) given.set(name, value)
    else others.push(pair)
  }
  const rest = others.filter((pair) => pair !== '').join('&')
  return { url: url.slice(0, start) + (rest === '' ? '' : `?${rest}`), tls: parse(given) }
}

/** Percent-encoding alone: a plus sign is one in libpq, and may stand in the name of a file. */
function readPair(pair: string): [name: string, value: string] {
  const middle = pair.indexOf('=')
  const texts = middle < 0 ? [pair, ''] : [pair.slice(0, middle), pair.slice(middle + 1)]
  try {
    const [name = '', value = ''] = texts.map(decodeURIComponent)
    return [name, value]
  } catch {
    throw new DatabaseUrlError(texts[0]!, 'is not percent-encoded well')
  }
}

function parse(given: ReadonlyMap<string, string>): TlsParameters {
  for (const name of given.keys()) {
    if (!known.has(name)) throw new DatabaseUrlError(name, 'is not supported')
  }
  for (const [name, values] of Object.entries(fixed)) oneOf(given, name, values)
  if (given.get('channel_binding') === 'require')
    throw new DatabaseUrlError('channel_binding=require', UNBOUND)
  const rootCertificates = given.get('sslrootcert') || undefined
  const mode = modeOf(given, rootCertificates)
  const isDirect = oneOf(given, 'sslnegotiation', ['postgres', 'direct'] as const) === 'direct'
  if (isDirect && modes.indexOf(mode) < modes.indexOf('require')) {
    throw new DatabaseUrlError('sslnegotiation=direct', `is not for sslmode=${mode}: require is the weakest`)
  }
  const minVersion = oneOf(given, 'ssl_min_protocol_version', versions) ?? 'TLSv1.2'
  const maxVersion = oneOf(given, 'ssl_max_protocol_version', versions)
  if (maxVersion !== undefined && versions.indexOf(maxVersion) < versions.indexOf(minVersion)) {
    throw new DatabaseUrlError('ssl_max_protocol_version', `is below the lowest, ${minVersion}`)
  }
  return {
    mode,
    rootCertificates,
    revocations: given.get('sslcrl') || undefined,
    certificate: given.get('sslcert') || undefined,
    key: given.get('sslkey') || undefined,
    passphrase: given.get('sslpassword') || undefined,
    sendsCertificate: oneOf(given, 'sslcertmode', ['allow', 'disable'] as const) !== 'disable',
    minVersion,
    maxVersion,
    sendsName: oneOf(given, 'sslsni', switches) !== '0',
    isDirect,
  }
}

/** Without a word about it, libpq prefers TLS; with the system's roots it takes nothing less than their full use. */
function modeOf(given: ReadonlyMap<string, string>, rootCertificates: string | undefined): Mode {
  // JDBC's way of saying it, which libpq takes in URLs.
  const isRequired = oneOf(given, 'ssl', ['true'] as const) === 'true'
  const said = oneOf(given, 'sslmode', modes) ?? (isRequired ? 'require' : undefined)
  if (rootCertificates !== 'system') return said ?? 'prefer'
  if (said !== undefined && said !== 'verify-full') {
    throw new DatabaseUrlError(`sslmode=${said}`, 'is too weak for sslrootcert=system: verify-full is needed')
  }
  return 'verify-full'
}

function oneOf<Value extends string>(
  given: ReadonlyMap<string, string>,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = given.get(name)
  if (text === undefined) return undefined
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw new DatabaseUrlError(name, `must be ${values.join(', ')}, not "${text}"`)
  return value
}
