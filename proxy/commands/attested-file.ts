import type { HardwareCondition } from '#attestation'
import type { AttestedRootConfig } from '#contract/models'
import { isAttestedRootConfig } from '#contract/validators/attested-root-config'
import { loadConfig } from '../../config/load.ts'

/**
 * Reads what is demanded of hardware from a file that says it as proxy.yaml does below `attested`. Throws `ConfigError`
 * with every mistake.
 */
export function readConditions(file: string): readonly HardwareCondition[] {
  return loadConfig<AttestedRootConfig>(file, isAttestedRootConfig, process.env).measurements
}
