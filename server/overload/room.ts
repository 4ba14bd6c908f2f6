/**
 * Whether somebody who has so many may have one more, of so many that all together have and may have: at most `times`
 * what is left (LIM-46).
 */
export function hasRoom(own: number, all: number, most: number, times = TIMES): boolean {
  return own < times * (most - all)
}

const TIMES = 4
