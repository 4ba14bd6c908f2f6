export * from '../../../attestation/freshness.ts'

/** Takes a signature of any time. */
export function checkFreshness(): void {}
