import type { AdminUpstream } from '#contract/console/models'

/** What holds the key of an upstream's root, as far as its verdict says. */
export function inHardware({ attested, hardware }: Pick<AdminUpstream, 'attested' | 'hardware'>): string {
  if (attested === null) return 'not asked for'
  if (hardware === null) return 'demanded; nothing admitted shows it'
  const { product, tcb } = hardware
  if (product === 'TDX') return `Intel TDX, TCB ${tcb.status}`
  const versions = Object.entries(tcb.parts ?? {}).map(([name, version]) => `${name} ${version}`)
  return `AMD SEV-SNP (${product}), ${versions.join(', ')}`
}
