import { createHash } from 'node:crypto'
import { type Certificate, issue, pem } from '../certificate.ts'
import { AUTHORITY, VALIDITY } from '../chain.ts'
import { int, objectId, octetString, seq } from '../der.ts'
import { type Extension, extension, keyUsage } from '../extensions.ts'
import { keyOf, type TestKey } from '../keys.ts'
import { sign } from '../sign.ts'
import { type RevocationList, revocationList } from './crl.ts'

type Members = Readonly<Record<string, unknown>>

const root = keyOf('intel-root', 'p256')
const authority = keyOf('pck-authority', 'p256')
const signer = keyOf('tcb-signer', 'p256')

const ROOT = 'Intel SGX Root CA (simulated)'
const AUTHORITY_NAME = 'Intel SGX PCK Platform CA'

/** From when on, and until when, Intel's statements count. */
const STATED = { issueDate: '2026-05-20T00:00:00Z', nextUpdate: '2026-06-19T00:00:00Z' } as const

/** Serial numbers of the certificates that can be revoked. */
export const SERIALS = { authority: 11, pck: 12, signer: 13 } as const

/** The kind of machine. */
const FMSPC = 'b0c06f000000'
const PCE_ID = '0000'
const SGX_SVN = 5
const TDX_SVN = 4
const PCE_SVN = 11
const SGX = '1.2.840.113741.1.13.1'
const MRSIGNER = 'dc'.repeat(32)
const COMPONENTS = 16

/** What a machine's certificate says of its kind and of how new it is. */
interface MachineLevel {
  readonly fmspc: string
  /** Of all components. */
  readonly sgxSvn: number
  /** Of the last component alone. */
  readonly lastSvn: number
  readonly pceSvn: number
}

/** Intel's certificates, each but for what is changed. */
export interface Authorities {
  readonly authority?: Partial<Certificate>
  readonly pck?: Partial<Certificate> &
    Partial<MachineLevel> & { readonly moreExtensions?: readonly Extension[] }
  readonly signer?: Partial<Certificate>
}

/** Intel's root, as a request names it. */
export const INTEL = pem(
  issue({ ...VALIDITY, subject: ROOT, issuer: ROOT, key: root, signer: root, extensions: AUTHORITY }),
)

/** The chain of the machine's key, in PEM. */
export function pckChain({ authority: changes, pck = {} }: Authorities = {}): string {
  const { fmspc = FMSPC, sgxSvn = SGX_SVN, lastSvn = sgxSvn, pceSvn = PCE_SVN } = pck
  const { moreExtensions = [], ...others } = pck
  const said = extension(SGX, machine({ fmspc, sgxSvn, lastSvn, pceSvn }), false)
  const middle = issue({
    ...VALIDITY,
    subject: AUTHORITY_NAME,
    issuer: ROOT,
    key: authority,
    signer: root,
    serial: SERIALS.authority,
    extensions: AUTHORITY,
    ...changes,
  })
  const own = issue({
    ...VALIDITY,
    subject: 'Intel SGX PCK Certificate',
    issuer: AUTHORITY_NAME,
    key: keyOf('pck', 'p256'),
    signer: authority,
    serial: SERIALS.pck,
    extensions: [keyUsage('digitalSignature'), said, ...moreExtensions],
    ...others,
  })
  return pem(own) + pem(middle) + INTEL
}

function machine({ fmspc, sgxSvn, lastSvn, pceSvn }: MachineLevel): Buffer {
  const member = (number: string, value: Uint8Array) => seq(objectId(`${SGX}${number}`), value)
  const components = Buffer.alloc(COMPONENTS, sgxSvn)
  components.writeUInt8(lastSvn, COMPONENTS - 1)
  const svns = [...components].map((svn, index) => member(`.2.${index + 1}`, int(svn)))
  return seq(
    member('.1', octetString(Buffer.alloc(16, 0xab))),
    member('.2', seq(...svns, member('.2.17', int(pceSvn)), member('.2.18', octetString(components)))),
    member('.3', octetString(Buffer.from(PCE_ID, 'hex'))),
    member('.4', octetString(Buffer.from(fmspc, 'hex'))),
  )
}

function signerChain({ signer: changes }: Authorities): string {
  const own = issue({
    ...VALIDITY,
    subject: 'Intel SGX TCB Signing',
    issuer: ROOT,
    key: signer,
    signer: root,
    serial: SERIALS.signer,
    extensions: [keyUsage('digitalSignature')],
    ...changes,
  })
  return pem(own) + INTEL
}

/** One level of a machine: what it takes, and Intel's word for it. */
export function level(
  tcbStatus: string,
  sgx = SGX_SVN,
  tdx = TDX_SVN,
  advisoryIDs?: readonly string[],
): Members {
  const components = (svn: number) => Array.from({ length: COMPONENTS }, () => ({ svn }))
  return {
    tcb: {
      sgxtcbcomponents: components(sgx),
      pcesvn: PCE_SVN,
      // The second names the module, and is no version of anything.
      tdxtcbcomponents: components(tdx).map((component, index) => (index === 1 ? { svn: 0 } : component)),
    },
    tcbDate: '2026-01-01T00:00:00Z',
    tcbStatus,
    ...(advisoryIDs && { advisoryIDs }),
  }
}

/** The levels of a module of version 3, from the newest on, each with what it takes and Intel's word for it. */
export function moduleLevels(...levels: readonly (readonly [isvsvn: number, tcbStatus: string])[]): Members {
  const tcbLevels = levels.map(([isvsvn, tcbStatus], age) => ({
    tcb: { isvsvn },
    tcbDate: `${2026 - age}-01-01T00:00:00Z`,
    tcbStatus,
  }))
  return {
    tdxModuleIdentities: [
      {
        id: 'TDX_03',
        mrsigner: '00'.repeat(48),
        attributes: '00'.repeat(8),
        attributesMask: 'ff'.repeat(8),
        tcbLevels,
      },
    ],
  }
}

/** What Intel says of a kind of machine, but for what is changed. */
function tcbInfo(changes: Members = {}): Members {
  return {
    id: 'TDX',
    version: 3,
    ...STATED,
    fmspc: FMSPC,
    pceId: PCE_ID,
    tcbType: 0,
    tcbEvaluationDataNumber: 20,
    tdxModule: { mrsigner: '00'.repeat(48), attributes: '00'.repeat(8), attributesMask: 'ff'.repeat(8) },
    tcbLevels: [
      level('UpToDate'),
      level('SWHardeningNeeded', SGX_SVN - 1, TDX_SVN, ['INTEL-SA-00001']),
      level('OutOfDate', SGX_SVN - 2, TDX_SVN, ['INTEL-SA-00001', 'INTEL-SA-00002']),
      level('Revoked', SGX_SVN - 3),
    ],
    ...changes,
  }
}

/** What Intel says of the enclave that makes quotes, but for what is changed. */
function qeIdentity(changes: Members = {}): Members {
  return {
    id: 'TD_QE',
    version: 2,
    ...STATED,
    tcbEvaluationDataNumber: 20,
    miscselect: '00000000',
    miscselectMask: 'ffffffff',
    attributes: `11${'00'.repeat(15)}`,
    attributesMask: `fb${'ff'.repeat(7)}${'00'.repeat(8)}`,
    mrsigner: MRSIGNER,
    isvprodid: 2,
    tcbLevels: [
      { tcb: { isvsvn: 4 }, tcbDate: '2026-01-01T00:00:00Z', tcbStatus: 'UpToDate' },
      { tcb: { isvsvn: 3 }, tcbDate: '2025-01-01T00:00:00Z', tcbStatus: 'OutOfDate' },
    ],
    ...changes,
  }
}

/** What Intel publishes, but for what is changed. */
export interface Published extends Authorities {
  readonly tcbInfo?: Members
  readonly qeIdentity?: Members
  readonly rootCrl?: Partial<RevocationList>
  readonly pckCrl?: Partial<RevocationList>
  /** Who signs both statements. */
  readonly stater?: TestKey
  /** Members of the collateral; `undefined` takes one out. */
  readonly collateral?: Members
}

/** The collateral that stands beside a quote. */
export function collateral(changes: Published = {}): Members {
  const { stater = signer } = changes
  const stated = { thisUpdate: STATED.issueDate, nextUpdate: STATED.nextUpdate }
  const chain = signerChain(changes)
  const tcb = JSON.stringify(tcbInfo(changes.tcbInfo))
  const qe = JSON.stringify(qeIdentity(changes.qeIdentity))
  const signature = (text: string) =>
    sign(Buffer.from(text), stater, { hash: 'sha256', form: 'compact' }).toString('hex')
  const rootCrl = { ...stated, issuer: ROOT, signer: root, ...changes.rootCrl }
  const pckCrl = { ...stated, issuer: AUTHORITY_NAME, signer: authority, ...changes.pckCrl }
  return {
    root_ca_crl: revocationList(rootCrl).toString('hex'),
    pck_crl: revocationList(pckCrl).toString('hex'),
    tcb_info: tcb,
    tcb_info_signature: signature(tcb),
    tcb_info_issuer_chain: chain,
    qe_identity: qe,
    qe_identity_signature: signature(qe),
    qe_identity_issuer_chain: chain,
    ...changes.collateral,
  }
}

/** The registers of the guest, unless something else is said. */
export const REGISTERS = {
  mrtd: 'a0'.repeat(48),
  rtmr0: 'b0'.repeat(48),
  rtmr1: 'b1'.repeat(48),
  rtmr2: 'b2'.repeat(48),
  rtmr3: '00'.repeat(48),
} as const

const REGISTER_PLACES = { mrtd: 136, rtmr0: 328, rtmr1: 376, rtmr2: 424, rtmr3: 472 } as const
const BODIES = { 2: 584, 3: 648, 4: 885 } as const
const SEPT_VE_DISABLE = 1n << 28n

/** What a quote says, but for what is the same in all. */
export interface Quote extends Authorities {
  readonly version?: 4 | 5
  readonly bodyType?: keyof typeof BODIES
  readonly attributes?: bigint
  readonly reportData: Uint8Array
  readonly registers?: Partial<Record<keyof typeof REGISTERS, string>>
  readonly qeSvn?: number
  /** Changes header, body, or the enclave's report before they are signed. */
  readonly editHeader?: (header: Buffer) => void
  readonly editBody?: (body: Buffer) => void
  readonly editEnclave?: (report: Buffer) => void
  /** What it says of its body: the kind, and how long it is. */
  readonly saysType?: number
  readonly saysSize?: number
  /** The number of what certifies the attestation key. */
  readonly certification?: number
  /** What stands behind that, within the part that nobody signs. */
  readonly behindCertification?: Uint8Array
  /** Whether the chain comes beside the quote. */
  readonly isBare?: boolean
  /** Changes the quote as it stands. */
  readonly spoil?: (quote: Buffer) => Buffer
}

/** A quote, signed by the enclave that the machine's key vouches for. */
export function quote(said: Quote): Buffer {
  const { version = 4, bodyType = 3 } = said
  const header = Buffer.alloc(48)
  header.writeUInt16LE(version, 0)
  header.writeUInt16LE(2, 2)
  header.writeUInt32LE(0x81, 4)
  header.write('939a7233f79c4ca9940a0db3957f0607', 12, 'hex')
  said.editHeader?.(header)
  const size = version === 4 ? BODIES[2] : BODIES[bodyType]
  const body = bodyOf(said, size)
  const { saysType = bodyType, saysSize = size } = said
  const typed = version === 4 ? Buffer.alloc(0) : Buffer.concat([u16(saysType), u32(saysSize)])
  const signed = Buffer.concat([header, typed, body])
  const attestation = keyOf('attestation', 'p256')
  const point = attestation.spki.subarray(-64)
  const authData = Buffer.alloc(32, 0x20)
  const enclave = enclaveReport(said, Buffer.concat([point, authData]))
  const chain = said.isBare ? [u16(3), u32(0)] : chained(said)
  const certification = Buffer.concat([
    enclave,
    sign(enclave, keyOf('pck', 'p256'), { hash: 'sha256', form: 'compact' }),
    u16(authData.length),
    authData,
    ...chain,
  ])
  const section = Buffer.concat([
    sign(signed, attestation, { hash: 'sha256', form: 'compact' }),
    point,
    u16(said.certification ?? 6),
    u32(certification.length),
    certification,
    said.behindCertification ?? Buffer.alloc(0),
  ])
  const made = Buffer.concat([signed, u32(section.length), section])
  return said.spoil?.(made) ?? made
}

function chained(said: Quote): Buffer[] {
  const text = Buffer.from(pckChain(said))
  return [u16(5), u32(text.length), text]
}

function bodyOf(said: Quote, size: number): Buffer {
  const body = Buffer.alloc(size)
  body.fill(TDX_SVN, 0, COMPONENTS)
  // The first module: its own version is a component as all others are.
  body.writeUInt8(0, 1)
  if (size > BODIES[2]) body.copy(body, 584, 0, COMPONENTS)
  body.writeBigUInt64LE(said.attributes ?? SEPT_VE_DISABLE, 120)
  for (const [name, place] of Object.entries(REGISTER_PLACES))
    body.write({ ...REGISTERS, ...said.registers }[name as keyof typeof REGISTERS], place, 'hex')
  body.set(said.reportData, 520)
  said.editBody?.(body)
  return body
}

function enclaveReport({ qeSvn = 4, editEnclave }: Quote, named: Buffer): Buffer {
  const report = Buffer.alloc(384)
  report.write(`11${'00'.repeat(15)}`, 48, 'hex')
  report.write(MRSIGNER, 128, 'hex')
  report.writeUInt16LE(2, 256)
  report.writeUInt16LE(qeSvn, 258)
  createHash('sha256').update(named).digest().copy(report, 320)
  editEnclave?.(report)
  return report
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
