import type { Certificate, Chain } from '../../certificate.ts'
import { expectTag, membersOf, parseDer, tags, type Value } from '../../der-value.ts'
import { type Oid, oid } from '../../oid.ts'
import { checkPath, endOf, parseCertificates } from '../path.ts'
import { demand, orRefuse } from '../refusal.ts'
import { commonNameOf } from './names.ts'

/** What Intel has certified of one machine. */
export interface Machine {
  readonly certificate: Certificate
  /** Who issued that, under the root. */
  readonly authority: Certificate
  readonly fmspc: Buffer
  readonly pceId: Buffer
  readonly componentSvns: readonly number[]
  readonly pceSvn: number
  /** What names the machine. */
  readonly ppid: Buffer
  readonly endorsedUntil: Date
}

const REASONS = { invalid: 'endorsement_invalid', expired: 'endorsement_expired' } as const
const AUTHORITIES: readonly (string | undefined)[] = [
  'Intel SGX PCK Platform CA',
  'Intel SGX PCK Processor CA',
]
const COMPONENTS = 16

const sgx = (number: string) => oid(`1.2.840.113741.1.13.1${number}`)

/**
 * Reads the certificates of a machine's key up to the root. Refuses what does not hold, or is not about a machine
 * (`endorsement_invalid`), and what is not valid now (`endorsement_expired`).
 */
export function readMachine(pem: string, root: Certificate, now: Date): Machine {
  // Intel's library ends the text as C does.
  const text = pem.endsWith('\0') ? pem.slice(0, -1) : pem
  const [certificate, authority, issuer] = orRefuse(REASONS.invalid, () => parseCertificates(text, 3))
  demand(certificate !== undefined && authority !== undefined, REASONS.invalid)
  demand(issuer?.fingerprint === root.fingerprint, REASONS.invalid)
  const chain: Chain = [certificate, authority, root]
  checkPath(chain, now, REASONS)
  demand(AUTHORITIES.includes(commonNameOf(authority)), REASONS.invalid)
  const said = orRefuse(REASONS.invalid, () => readExtension(certificate))
  return { ...said, certificate, authority, endorsedUntil: endOf(chain) }
}

type Said = Pick<Machine, 'fmspc' | 'pceId' | 'componentSvns' | 'pceSvn' | 'ppid'>

function readExtension({ extensions }: Certificate): Said {
  const said = pairsOf(parseDer(extensions.get(sgx(''))?.value ?? Buffer.alloc(0)))
  const tcb = pairsOf(said.get(sgx('.2')))
  const bytes = (number: string) => expectTag(said.get(sgx(number)), tags.octets).content
  const svn = (index: number) => smallNumberOf(tcb.get(sgx(`.2.${index}`)))
  return {
    ppid: bytes('.1'),
    pceId: bytes('.3'),
    fmspc: bytes('.4'),
    componentSvns: Array.from({ length: COMPONENTS }, (_, index) => svn(index + 1)),
    pceSvn: svn(COMPONENTS + 1),
  }
}

/** A list of names with a value each. */
function pairsOf(list: Value | undefined): ReadonlyMap<Oid, Value | undefined> {
  const pairs = membersOf(expectTag(list, tags.sequence)).map(membersOf)
  return new Map(pairs.map(([name, value]) => [expectTag(name, tags.oid).content.toString('hex'), value]))
}

/** A number of up to two bytes; none that is negative gets larger by it. */
function smallNumberOf(value: Value | undefined): number {
  const { content } = expectTag(value, tags.integer)
  return content.readIntBE(0, content.length)
}
