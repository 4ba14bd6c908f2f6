import type { AttestationError } from '#attestation'

/** What a request that runs is told when the verdict it goes under ends (VERD-20, VERD-22). */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
  readonly ground: AttestationError

  constructor(ground: AttestationError) {
    super(ground.message)
    this.ground = ground
  }
}
