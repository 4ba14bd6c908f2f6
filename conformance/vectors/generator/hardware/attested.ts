import { createHash } from 'node:crypto'
import type { AttestedRootConfig, VectorExpectation } from '#contract/models'
import { chainOf } from '../chain.ts'
import { keyOf } from '../keys.ts'
import { type Question, trusted } from '../vector.ts'
import { authoritiesOf, endorsement, MEASUREMENT, type Product, type Report, report, TCB } from './amd.ts'
import { collateral, INTEL, type Published, type Quote, quote, REGISTERS } from './intel.ts'

/** One guest that is accepted. */
export type Condition = AttestedRootConfig['measurements'][number]

type Member = Readonly<Record<string, unknown>>

/** What is demanded, and under which vendors. */
export interface Demand {
  readonly conditions?: readonly Condition[]
  readonly vendors?: VectorExpectation['test_vendors'] | null
  readonly now?: string
}

/** What a report says to be about the root of the usual chain. */
export const BOUND = createHash('sha256').update(keyOf('root', 'p256').spki).digest()

/** A guest of AMD's, as the usual report shows it. */
export const AMD_GUEST = { tee: 'snp', product: 'Genoa', measurement: MEASUREMENT, minimumTcb: TCB } as const
/** A guest of Intel's, as the usual quote shows it. */
export const INTEL_GUEST = {
  tee: 'tdx',
  mrtd: REGISTERS.mrtd,
  rtmr1: REGISTERS.rtmr1,
  rtmr2: REGISTERS.rtmr2,
} as const

/** Intel's words for the state of a TCB that a condition may accept. */
export type Word = NonNullable<Extract<Condition, { tee: 'tdx' }>['tcbStatus']>[number]

/** All of them. */
export const ANY_WORD: readonly Word[] = [
  'UpToDate',
  'SWHardeningNeeded',
  'ConfigurationNeeded',
  'ConfigurationAndSWHardeningNeeded',
  'TDRelaunchAdvised',
  'TDRelaunchAdvisedConfigurationNeeded',
  'OutOfDate',
  'OutOfDateConfigurationNeeded',
]

/** Accepts these words. */
export const accepting = (...words: readonly Word[]): Demand => ({
  conditions: [{ ...INTEL_GUEST, tcbStatus: [...words] }],
})

/** A question about a root that has to be held by hardware, and what is published as its quote. */
export function attested(
  rootCaTeeQuote: unknown,
  conditions: readonly Condition[],
  demand: Demand = {},
): Question {
  const { vendors = simulated, now } = demand
  const root = chainOf('p256').certificates.at(-1)!
  return {
    envelope: { rootCaTeeQuote },
    needs: ['attested-roots'],
    expect: {
      roots: [{ ...trusted(root), attested: { measurements: [...(demand.conditions ?? conditions)] } }],
      ...(vendors !== null && { test_vendors: vendors }),
      ...(now !== undefined && { now }),
    },
  }
}

/** The vendors that simulate the hardware. */
const simulated: NonNullable<Demand['vendors']> = {
  amd: [authoritiesOf('Genoa')],
  intel: INTEL,
}

/** The same with other products of AMD's. */
export const vendorsOf = (...products: readonly Product[]): NonNullable<Demand['vendors']> => ({
  amd: products.map(authoritiesOf),
})

/** What is published under AMD SEV-SNP. */
export function amdQuote(said: Partial<Report> = {}, vcek: Parameters<typeof endorsement>[1] = {}): Member {
  return {
    format: 'amd-sev-snp-report',
    data: report({ reportData: BOUND, ...said }).toString('base64'),
    collateral: { vcek: endorsement('vcek', vcek) },
  }
}

/** A root held by AMD's hardware, but for what is changed. */
export function onAmd(
  said: Partial<Report> = {},
  { vcek = {}, ...demand }: Demand & { readonly vcek?: Parameters<typeof endorsement>[1] } = {},
): Question {
  return attested(amdQuote(said, vcek), [AMD_GUEST], demand)
}

/** What is published under Intel TDX. */
export function intelQuote(said: Partial<Quote> = {}, published: Published = {}): Member {
  const data = quote({ reportData: BOUND, ...pick(published), ...said })
  return {
    format: `intel-tdx-quote-v${said.version ?? 4}`,
    data: data.toString('base64'),
    collateral: collateral(published),
  }
}

/** A root held by Intel's hardware, but for what is changed. */
export function onIntel(
  said: Partial<Quote> = {},
  { published = {}, ...demand }: Demand & { readonly published?: Published } = {},
): Question {
  return attested(intelQuote(said, published), [INTEL_GUEST], { vendors: { intel: INTEL }, ...demand })
}

function pick({ authority, pck }: Published): Partial<Quote> {
  return { ...(authority && { authority }), ...(pck && { pck }) }
}
