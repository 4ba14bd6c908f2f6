import type { HardwareEvidence } from './evidence.ts'

/** What hardware says, and what the guest had it say: the 64 bytes that bind a key. */
export interface HardwareReading {
  readonly evidence: HardwareEvidence
  readonly reportData: Buffer
}
