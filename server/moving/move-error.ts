/** A workspace cannot be moved, or not now; says why. It lives where it did, unless the message says otherwise. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}
