export * from '../../../attestation/attested.ts'

/** Demands no hardware of any root. */
export function checkHardware(): null {
  return null
}
