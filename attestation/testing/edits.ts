import fc from 'fast-check'

/** Changes that put some bytes in the place of others; either may be none. */
export const edit = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(0, 1, 1, 2),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 2 }),
    fc
      .string({ maxLength: 2, unit: fc.constantFrom(...' \n",:{}[]=-_.\\AQgw048+/') })
      .map((text) => Buffer.from(text)),
  ),
})

/** One change. */
export type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

/** Bytes with one change made to them. */
export function apply(bytes: Uint8Array, { at, removed, put }: Edit): Buffer {
  const start = at % bytes.length
  return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + removed)])
}
