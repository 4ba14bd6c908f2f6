import type { components } from '#contract'

/** A label of the closed set that the platform defines (§2.3). */
export type TeeLabel = components['schemas']['TeeLabel']

const EXTENSION = '0.6.9.42.840.113741.1337.6'

/** By number of the one field that is set (decisions, 4). */
const labels: Readonly<Record<number, TeeLabel>> = {
  1: 'AMD SEV-SNP (QEMU)',
  2: 'Intel TDX (QEMU)',
  3: 'Intel TDX (GCP)',
  4: 'Intel TDX (Azure)',
  5: 'AMD SEV-SNP (Azure)',
}

const LENGTH_DELIMITED = 2

/** The hardware that a root certificate names, which nothing proves; null for whatever it does not say clearly. */
export async function findTeeLabel(root: Uint8Array): Promise<TeeLabel | null> {
  const { Certificate } = await import('pkijs')
  const extension = Certificate.fromBER(root).extensions?.find(({ extnID }) => extnID === EXTENSION)
  const [key = 0, length = 0, ...value] = extension?.extnValue.valueBlock.valueHexView ?? []
  const isOneField = (key & 7) === LENGTH_DELIMITED && length === value.length && length < 0x80
  return isOneField ? (labels[key >> 3] ?? null) : null
}
