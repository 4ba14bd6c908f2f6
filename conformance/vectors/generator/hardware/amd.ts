import { type Certificate, issue, pem } from '../certificate.ts'
import { AUTHORITY, VALIDITY } from '../chain.ts'
import { int, tlv } from '../der.ts'
import { extension } from '../extensions.ts'
import { keyOf } from '../keys.ts'
import { sign } from '../sign.ts'

/** AMD's processors whose quotes are made here. */
export type Product = 'Milan' | 'Genoa' | 'Turin'

/** Versions of the firmware, by their place in a TCB's eight bytes. */
export type Tcb = Readonly<Partial<Record<'fmc' | 'bootloader' | 'tee' | 'snp' | 'microcode', number>>>

/** What a report says, but for what is the same in all. */
export interface Report {
  readonly product?: Product
  readonly version?: number
  readonly policy?: bigint
  readonly vmpl?: number
  readonly algorithm?: number
  /** Which key signed, by its number: 0 the chip's, 1 the cloud's. */
  readonly signingKey?: number
  readonly isMasked?: boolean
  readonly reportData: Uint8Array
  readonly measurement?: string
  readonly reported?: Tcb
  readonly committed?: Tcb
  readonly launch?: Tcb
  /** Changes the bytes before they are signed. */
  readonly edit?: (report: Buffer) => void
  /** Changes them afterwards. */
  readonly spoil?: (report: Buffer) => Buffer
}

/** What was measured, in all reports that say nothing else. */
export const MEASUREMENT = '5e'.repeat(48)

/** The firmware of each product, unless something else is said. */
export const TCB = { bootloader: 10, tee: 0, snp: 23, microcode: 84 } as const

/** The number of the chip, unless something else is said. */
export const CHIP = Buffer.alloc(64, 0xc4)

const PLACES = { bootloader: 0, tee: 1, snp: 6, microcode: 7 } as const
const PLACES_OF_TURIN = { fmc: 0, bootloader: 1, tee: 2, snp: 3, microcode: 7 } as const
const PROCESSORS = { Milan: [0x19, 0x01], Genoa: [0x19, 0x11], Turin: [0x1a, 0x02] } as const
const EXTENSIONS = { bootloader: 1, tee: 2, snp: 3, microcode: 8, fmc: 9 } as const
const AMD = '1.3.6.1.4.1.3704.1'
const SIGNED_BYTES = 0x2a0
const NUMBER_BYTES = 48

/** A report, signed by the chip or by the cloud. */
export function report(said: Report): Buffer {
  const {
    product = 'Genoa',
    version = 3,
    policy = 0x3_0000n,
    signingKey = 0,
    reported = tcbOf(product),
  } = said
  const bytes = Buffer.alloc(1184)
  bytes.writeUInt32LE(version, 0)
  bytes.writeBigUInt64LE(policy, 0x08)
  bytes.writeUInt32LE(said.vmpl ?? 0, 0x30)
  bytes.writeUInt32LE(said.algorithm ?? 1, 0x34)
  const levels = {
    56: reported,
    384: reported,
    480: said.committed ?? reported,
    496: said.launch ?? reported,
  }
  for (const [place, tcb] of Object.entries(levels)) bytesOf(product, tcb).copy(bytes, Number(place))
  bytes.writeUInt32LE((signingKey << 2) | (said.isMasked ? 2 : 0), 0x48)
  bytes.set(said.reportData, 0x50)
  bytes.write(said.measurement ?? MEASUREMENT, 0x90, 'hex')
  if (version >= 3) bytes.set(PROCESSORS[product], 0x188)
  if (!said.isMasked) CHIP.copy(bytes, 0x1a0)
  said.edit?.(bytes)
  const key = keyOf(signingKey === 1 ? 'vlek' : 'vcek', 'p384')
  const made = sign(bytes.subarray(0, SIGNED_BYTES), key, { hash: 'sha384', form: 'compact' })
  for (const [index, place] of [0, 72].entries()) {
    const number = made.subarray(index * NUMBER_BYTES, (index + 1) * NUMBER_BYTES)
    Buffer.from(number)
      .reverse()
      .copy(bytes, SIGNED_BYTES + place)
  }
  return said.spoil?.(bytes) ?? bytes
}

/** The firmware of a product. */
export function tcbOf(product: Product): Tcb {
  return product === 'Turin' ? { ...TCB, fmc: 1 } : TCB
}

const ark = keyOf('root', 'rsa')

function authority(product: Product, name: string): Certificate {
  const isRoot = name === 'ARK'
  return {
    ...VALIDITY,
    subject: `${name}-${product} (simulated)`,
    issuer: `ARK-${product} (simulated)`,
    key: isRoot ? ark : keyOf(name === 'SEV' ? 'intermediate' : 'leaf', 'rsa'),
    signer: ark,
    extensions: AUTHORITY,
    hash: 'sha384',
    pss: true,
  }
}

/** The authorities of a product, as a request names them. */
export function authoritiesOf(product: Product) {
  const [root = '', vcek = '', vlek = ''] = ['ARK', 'SEV', 'SEV-VLEK'].map((name) =>
    pem(issue(authority(product, name))),
  )
  return { product, ark: root, vcek, vlek }
}

/** A certificate of the chip's key, or of the cloud's, but for what is changed. */
export function endorsement(
  kind: 'vcek' | 'vlek',
  changes: Partial<Certificate> & {
    readonly product?: Product
    readonly tcb?: Tcb
    readonly chip?: Uint8Array
  } = {},
): string {
  const { product = 'Genoa', tcb = tcbOf(product), chip = CHIP, ...others } = changes
  const isChips = kind === 'vcek'
  const issuer = authority(product, isChips ? 'SEV' : 'SEV-VLEK')
  const parts = Object.entries(tcb) as [keyof typeof EXTENSIONS, number][]
  return pem(
    issue({
      ...VALIDITY,
      subject: isChips ? 'SEV-VCEK' : 'SEV-VLEK',
      issuer: issuer.subject,
      key: keyOf(kind, 'p384'),
      signer: issuer.key,
      hash: 'sha384',
      pss: true,
      serial: 0,
      extensions: [
        extension(`${AMD}.1`, int(product === 'Turin' ? 1 : 0), false),
        extension(`${AMD}.2`, tlv(0x16, Buffer.from(product === 'Milan' ? 'Milan-B0' : product)), false),
        ...parts.map(([name, version]) => extension(`${AMD}.3.${EXTENSIONS[name]}`, int(version), false)),
        isChips
          ? extension(`${AMD}.4`, product === 'Turin' ? chip.subarray(0, 8) : chip, false)
          : extension(`${AMD}.5`, tlv(0x16, Buffer.from('a cloud')), false),
      ],
      ...others,
    }),
  )
}

function bytesOf(product: Product, tcb: Tcb): Buffer {
  const bytes = Buffer.alloc(8)
  const places: Readonly<Partial<Record<keyof Tcb, number>>> = product === 'Turin' ? PLACES_OF_TURIN : PLACES
  for (const [name, place] of Object.entries(places)) bytes.writeUInt8(tcb[name as keyof Tcb] ?? 0, place)
  return bytes
}
