import type { HardwareCondition, HardwareEvidence } from '#attestation'
import type { AttestedRootConfig, HardwareOutput } from '#contract/models'

/** What was seen of the hardware, as documents tell it. */
export function hardwareDocument(hardware: HardwareEvidence): HardwareOutput {
  const { tcb, measurements, endorsedUntil, collateralUntil, chipId, ...same } = hardware
  return {
    ...same,
    tcb: { ...tcb, advisories: [...tcb.advisories] },
    measurements: { ...measurements },
    endorsed_until: endorsedUntil.toISOString(),
    collateral_until: collateralUntil?.toISOString() ?? null,
    chip_id_hash: chipId,
  }
}

/** What is demanded of hardware, as configurations and documents say it. */
export function attestedDocument(conditions: readonly HardwareCondition[]): AttestedRootConfig {
  // They come from documents of this form alone, which the schema has narrowed further than the core needs.
  return {
    measurements: conditions.map((each) => structuredClone(each)) as AttestedRootConfig['measurements'],
  }
}
