import { areAuthorities } from '../authority.ts'
import { type Certificate, type Chain, parseCertificate } from '../certificate.ts'
import { areLinked } from '../chain.ts'
import { keepToConstraints } from '../constraints.ts'
import { haveKnownExtensions } from '../extensions.ts'
import { areOfReadSize, parseEntry } from '../size.ts'
import { haveStrongKeys, haveStrongSignatures } from '../strength.ts'
import { demand, type HardwareReason, orRefuse } from './refusal.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----\n'
const END = '-----END CERTIFICATE-----\n'

/** The reasons that a path is refused with. */
interface PathReasons {
  readonly invalid: HardwareReason
  readonly expired: HardwareReason
}

const checks: readonly ((chain: Chain) => void)[] = [
  areOfReadSize,
  areLinked,
  areAuthorities,
  keepToConstraints,
  haveKnownExtensions,
  haveStrongKeys,
  haveStrongSignatures,
]

/**
 * Reads so many certificates from PEM as OpenSSL writes it, with nothing around them: no other spelling says the same.
 * Throws for all else.
 */
export function parseCertificates(pem: string, count: number): Certificate[] {
  const pieces = pem.split(END, count + 2)
  if (pieces.length !== count + 1 || pieces.pop() !== '')
    throw new TypeError('There are more or fewer certificates.')
  return pieces.map((piece) => {
    const certificate = parseEntry(piece + END)
    const lines = certificate.der.toString('base64').replace(/.{1,64}/g, '$&\n')
    if (BEGIN + lines !== piece) throw new TypeError('This is not PEM as OpenSSL writes it.')
    return certificate
  })
}

/** Reads a vendor's certificate, which the caller trusts. */
export function parseAuthority(der: Uint8Array): Certificate {
  return parseCertificate(Buffer.from(der))
}

/**
 * Refuses a chain with a certificate that is not valid now, then one that does not hold as every chain has to. Its last
 * certificate is trusted by whoever calls.
 */
export function checkPath(chain: Chain, now: Date, { invalid, expired }: PathReasons): void {
  demand(
    chain.every(({ notBefore, notAfter }) => now >= notBefore && now <= notAfter),
    expired,
  )
  orRefuse(invalid, () => {
    for (const check of checks) check(chain)
  })
}

/** The first end among certificates. */
export function endOf(chain: Chain): Date {
  return earliest(chain.map(({ notAfter }) => notAfter))
}

/** The first of some points in time. */
export function earliest(instants: readonly Date[]): Date {
  return new Date(Math.min(...instants.map(Number)))
}
