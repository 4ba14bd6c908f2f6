import type { AttestationError } from '#attestation'

/** What a request that runs is told when the verdict it goes under ends (decisions, 8). */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
  readonly ground: AttestationError

  constructor(ground: AttestationError) {
    super(ground.message)
    this.ground = ground
  }
}
