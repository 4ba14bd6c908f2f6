/** An object identifier as certificates hold it, in hex: equal texts are equal identifiers. */
export type Oid = string

/** Writes an object identifier's dotted form as certificates hold it. */
export function oid(dotted: string): Oid {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return Buffer.from([first * 40 + second, ...rest].flatMap(base128)).toString('hex')
}

/** Seven bits a byte, the highest first; all bytes but the last are marked. */
function base128(number: number): number[] {
  const bytes = [number % 128]
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    bytes.unshift(128 + (rest % 128))
  return bytes
}
