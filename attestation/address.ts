/** An address in parts of 32 bits: one for IPv4, four for IPv6. */
export type Words = readonly number[]

const LENGTHS: readonly number[] = [4, 16]
const WORD_BYTES = 4

/** Reads an IP address, or a mask of one; undefined unless it is 4 or 16 bytes long. */
export function addressWords(bytes: Buffer): Words | undefined {
  if (!LENGTHS.includes(bytes.length)) return undefined
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, index) =>
    bytes.readInt32BE(index * WORD_BYTES),
  )
}
