import type { ChannelBinding } from '../../../attestation/binding.ts'

export * from '../../../attestation/binding.ts'

/** Takes any connection for the one that was signed for. */
export function bindConnection(): ChannelBinding {
  return 'observed'
}
