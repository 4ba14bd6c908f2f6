import type { SimulatedTee } from '#contract/models'
import { simulateAmd } from './amd.ts'
import { simulateIntel } from './intel.ts'
import type { Simulation } from './simulation.ts'

const simulations: Readonly<Record<SimulatedTee, (now: Date) => Simulation>> = {
  snp: simulateAmd,
  tdx: simulateIntel,
}

/** Plays hardware, with certificates from now on. */
export function simulate(tee: SimulatedTee, now: Date): Simulation {
  return simulations[tee](now)
}
