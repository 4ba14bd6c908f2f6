import { expect, test } from 'vitest'
import type { AdminUpstream } from '#contract/console/models'
import { inHardware } from './hardware.ts'

const attested = { measurements: [] }
const seen = (hardware: object | null, demanded: object | null = attested) =>
  inHardware({ attested: demanded, hardware } as unknown as AdminUpstream)

test('hardware is told where it is demanded and seen, and never guessed', () => {
  expect(seen(null, null)).toBe('not asked for')
  expect(seen(null)).toBe('demanded; nothing admitted shows it')
  expect(seen({ product: 'TDX', tcb: { status: 'UpToDate', parts: null } })).toBe('Intel TDX, TCB UpToDate')
  expect(seen({ product: 'Genoa', tcb: { status: null, parts: { bootloader: 10, snp: 23 } } })).toBe(
    'AMD SEV-SNP (Genoa), bootloader 10, snp 23',
  )
})
