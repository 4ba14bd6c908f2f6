import type { HardwareCondition } from '#attestation'
import type { SimulatedTee } from '#contract/models'
import { measured } from '../platform/simulation/simulation.ts'

const hex = (name: string) => measured(name).toString('hex')

/** The guests that the reference platform plays, as whoever trusts them lists them. */
export const guests = {
  snp: {
    tee: 'snp',
    product: 'Genoa',
    measurement: hex('guest'),
    minimumTcb: { bootloader: 10, tee: 0, snp: 23, microcode: 84 },
  },
  tdx: { tee: 'tdx', mrtd: hex('mrtd'), rtmr1: hex('rtmr1'), rtmr2: hex('rtmr2') },
} as const satisfies Record<SimulatedTee, HardwareCondition>

/** Guests that nobody plays. */
export const strangers = {
  snp: { ...guests.snp, measurement: hex('another guest') },
  tdx: { ...guests.tdx, rtmr2: hex('another guest') },
} as const satisfies Record<SimulatedTee, HardwareCondition>
