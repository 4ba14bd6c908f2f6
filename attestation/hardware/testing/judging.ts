import { AttestationError } from '../../errors.ts'
import type { Json } from '../../json-value.ts'
import type { HardwareCondition } from '../conditions.ts'
import { readHardware, verifyHardware } from '../hardware.ts'
import type { SampleMember } from './samples.ts'

/** The certification that names certificates and holds none. */
const PCK_IDENTITY = 3

/** What a verification answers: the reason to refuse, or undefined. Anything thrown but a refusal fails the test. */
export function reasonOf(judge: () => unknown): string | undefined {
  try {
    judge()
    return undefined
  } catch (error) {
    if (error instanceof AttestationError && error.stage === 'untrusted-root') return error.reason
    throw error
  }
}

/** Why a quote is not read at some time. */
export function refusalOf(member: Json | undefined, now: string): string | undefined {
  return reasonOf(() => readHardware(member, new Date(now)))
}

/** Why a quote is refused under one condition; no sample is about this key. */
export function verdictOn(member: Json, now: string, ...conditions: HardwareCondition[]): string | undefined {
  return reasonOf(() => verifyHardware(member, Buffer.from('a key'), conditions, new Date(now)))
}

/** A sample whose quote has other bytes. */
export function withData(sample: SampleMember, change: (data: Buffer) => Uint8Array): SampleMember {
  const data = change(Buffer.from(sample.data, 'base64'))
  return { ...sample, data: Buffer.from(data).toString('base64') }
}

/** A quote of Intel's that says that its certificates stand beside it. */
export function withoutCertificates(sample: SampleMember): SampleMember {
  return withData(sample, (data) => {
    const typeAt = data.indexOf('-----BEGIN CERTIFICATE-----') - 6
    data.writeUInt16LE(PCK_IDENTITY, typeAt)
    return data
  })
}

/** A sample with other members in its collateral. */
export function withCollateral(sample: SampleMember, change: Readonly<Record<string, string>>): SampleMember {
  return { ...sample, collateral: { ...sample.collateral, ...change } }
}

/** Bytes of which one differs in its lowest bit. */
export function flip(bytes: Uint8Array, at: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
  return flipped
}

/** Every place of some bytes. */
export function placesOf({ length }: { readonly length: number }): number[] {
  return Array.from({ length }, (_, index) => index)
}
