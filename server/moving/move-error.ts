/** A workspace cannot be moved, or not now; says why. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}
