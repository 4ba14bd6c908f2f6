export * from '../../../attestation/policy.ts'

/** Approves of every deployment. */
export function checkPolicy(): void {}
