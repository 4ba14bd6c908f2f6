import type { KeyPlace } from '../store/directory.ts'
import { away, placeOf } from './away.ts'
import type { Locator } from './locator.ts'

/** A workspace may move, or its move be given up, between two answers; ours. */
const MAX_ASKED = 3

/** Who knows where keys live. */
interface Directory {
  readonly locator: Pick<Locator, 'known' | 'find' | 'forget'>
  /** Of the meter at home. */
  readonly home: { readonly isLeased: boolean }
}

/**
 * Asks the cell of a key. One that knows nothing of it may have been left by its workspace while this router remembered
 * the old place, so home is asked anew (OPS-30). Undefined: no key is known by that hash. `identify` is told of a key that
 * is refused because its workspace is moving.
 *
 * A request is not placed twice by being asked twice: while the hold of an answer that was lost is open, no workspace
 * leaves its cell.
 */
export async function askCell<Result>(
  { locator, home }: Directory,
  keyHash: string,
  ask: (place: KeyPlace, asked: number) => Promise<Result | undefined>,
  identify: (place: KeyPlace) => void = () => {},
): Promise<Result | undefined> {
  for (let asked = 0; asked < MAX_ASKED; asked++) {
    const place = await placeOf(keyHash, locator, home.isLeased)
    if (!place) return undefined
    if (place.isMoving) {
      identify(place)
      throw away()
    }
    const result = await ask(place, asked)
    if (result !== undefined) return result
    locator.forget(keyHash)
  }
  return undefined
}
