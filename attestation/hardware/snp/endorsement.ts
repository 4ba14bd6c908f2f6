import type { Certificate, Chain } from '../../certificate.ts'
import { isObject, type Json } from '../../json-value.ts'
import { oid } from '../../oid.ts'
import type { SnpProduct } from '../conditions.ts'
import { checkPath, parseAuthority, parseCertificates } from '../path.ts'
import { demand, orRefuse, refusal } from '../refusal.ts'
import type { Vendors } from '../vendors.ts'
import type { Report } from './report.ts'
import { partsOf } from './tcb.ts'

const REASONS = { invalid: 'endorsement_invalid', expired: 'endorsement_expired' } as const

const amd = (number: string) => oid(`1.3.6.1.4.1.3704.1.${number}`)
const PRODUCT = amd('2')
const CHIP = amd('4')

/** Who signed a report, up to AMD's root. */
export interface Endorsement {
  readonly product: SnpProduct
  readonly chain: Chain
}

/**
 * Finds the certificate of the key that signed a report, and follows it to the built-in authorities of its product.
 * Refuses none (`collateral_missing`), one out of its dates (`endorsement_expired`), and one that does not hold, is not
 * for this chip or not for the firmware that the report names (`endorsement_invalid`).
 */
export function checkEndorsement(
  report: Report,
  collateral: Json | undefined,
  now: Date,
  { amd: authorities }: Vendors,
): Endorsement {
  const pem = isObject(collateral) ? collateral[report.signingKey] : undefined
  demand(typeof pem === 'string', 'collateral_missing')
  const [certificate] = orRefuse(REASONS.invalid, () => parseCertificates(pem, 1))
  if (!certificate) throw refusal(REASONS.invalid)
  const product = report.product ?? productOf(certificate)
  const vendor = authorities[product]
  demand(vendor !== undefined, REASONS.invalid)
  const chain: Chain = [certificate, parseAuthority(vendor[report.signingKey]), parseAuthority(vendor.ark)]
  checkPath(chain, now, REASONS)
  demand(namesTcb(certificate, product, report.tcb.reported), REASONS.invalid)
  demand(report.signingKey === 'vlek' || namesChip(certificate, product, report), REASONS.invalid)
  return { product, chain }
}

/** Reads `Milan-B0` as Milan; whatever it says, the issuer has to be the authority of that product. */
function productOf({ extensions }: Certificate): SnpProduct {
  // A text of ASCII, behind its tag and length.
  const [name] = extensions.get(PRODUCT)?.value.subarray(2).toString('latin1').split('-') ?? []
  demand(name === 'Milan' || name === 'Genoa' || name === 'Turin', REASONS.invalid)
  return name
}

function namesTcb({ extensions }: Certificate, product: SnpProduct, tcb: Buffer): boolean {
  return partsOf(product).every(([, place, extension]) => {
    const part = tcb.readUInt8(place)
    const der = Buffer.from(part < 0x80 ? [2, 1, part] : [2, 2, 0, part])
    return extensions.get(amd(`3.${extension}`))?.value.equals(der)
  })
}

/** The bytes stand there without a tag; a Turin has eight of them, all others 64. */
function namesChip({ extensions }: Certificate, product: SnpProduct, report: Report): boolean {
  const chipId = report.chipId?.subarray(0, product === 'Turin' ? 8 : undefined)
  return chipId !== undefined && extensions.get(CHIP)?.value.equals(chipId) === true
}
