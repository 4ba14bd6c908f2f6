import type { Extension } from 'pkijs'
import type { RootLabel } from '#contract/models'
import { opaque } from './extensions.ts'

const TEE_EXTENSION = '0.6.9.42.840.113741.1337.6'

/** The field of the message that stands for each label (MODL-23). */
const fields: Readonly<Record<RootLabel, number>> = {
  'AMD SEV-SNP (QEMU)': 1,
  'Intel TDX (QEMU)': 2,
  'Intel TDX (GCP)': 3,
  'Intel TDX (Azure)': 4,
  'AMD SEV-SNP (Azure)': 5,
}

const LENGTH_DELIMITED = 2

/** There is no hardware below this platform, and the evidence says so. */
const NO_QUOTE = Buffer.from('not-implemented')

/**
 * The extension that names the hardware: a protobuf message with one field set, whose number is the label. It is
 * not critical, as on deployed platforms, so that common TLS clients accept the root.
 */
export function teeExtension(label: RootLabel): Extension {
  const key = (fields[label] << 3) | LENGTH_DELIMITED
  return opaque(TEE_EXTENSION, Buffer.concat([Uint8Array.of(key, NO_QUOTE.length), NO_QUOTE]))
}

/** Whether a root made here names this hardware. */
export function namesHardware(root: { readonly raw: Buffer }, label: RootLabel): boolean {
  return root.raw.includes(Buffer.from(teeExtension(label).toSchema().toBER()))
}
