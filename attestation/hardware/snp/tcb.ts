import type { SnpProduct, SnpTcb } from '../conditions.ts'

/** One part of a TCB: its place in the eight bytes, and the last number of the extension that certificates have for it. */
type Part = readonly [name: keyof SnpTcb, place: number, extension: number]

const PARTS: readonly Part[] = [
  ['bootloader', 0, 1],
  ['tee', 1, 2],
  ['snp', 6, 3],
  ['microcode', 7, 8],
]

const PARTS_OF_TURIN: readonly Part[] = [
  ['fmc', 0, 9],
  ['bootloader', 1, 1],
  ['tee', 2, 2],
  ['snp', 3, 3],
  ['microcode', 7, 8],
]

/** The parts that a product's TCB has. */
export function partsOf(product: SnpProduct): readonly Part[] {
  return product === 'Turin' ? PARTS_OF_TURIN : PARTS
}

/** Of each part the smallest among some TCBs of eight bytes. */
export function smallestTcb(product: SnpProduct, tcbs: readonly Buffer[]): SnpTcb {
  const smallest = (place: number) => Math.min(...tcbs.map((bytes) => bytes.readUInt8(place)))
  const parts = partsOf(product).map(([name, place]) => [name, smallest(place)])
  return Object.fromEntries(parts)
}
