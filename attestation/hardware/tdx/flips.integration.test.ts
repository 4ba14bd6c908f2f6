import { expect, test } from 'vitest'
import { flip, placesOf, refusalOf, withCollateral, withData } from '../testing/judging.ts'
import { tdxSamples } from '../testing/real.ts'
import type { SampleMember } from '../testing/samples.ts'

const [[, sample, now]] = tdxSamples

/** The places at which a flipped bit leaves the quote accepted. */
const acceptedFlips = (bytes: Buffer, change: (bytes: Buffer) => SampleMember, at: string = now) =>
  placesOf(bytes).filter((place) => refusalOf(change(flip(bytes, place)), at) === undefined)

test.each(tdxSamples)('%s with any byte changed is refused', (_, whole, at) => {
  const data = Buffer.from(whole.data, 'base64')
  expect(acceptedFlips(data, (changed) => withData(whole, () => changed), at)).toEqual([])
})

test.each(['root_ca_crl', 'pck_crl', 'tcb_info_signature', 'qe_identity_signature'])(
  'collateral with any byte of its %s changed is refused',
  (name) => {
    const bytes = Buffer.from(sample.collateral[name] ?? '', 'hex')
    expect(
      acceptedFlips(bytes, (changed) => withCollateral(sample, { [name]: changed.toString('hex') })),
    ).toEqual([])
  },
)

test.each(['tcb_info', 'tcb_info_issuer_chain', 'qe_identity', 'qe_identity_issuer_chain'])(
  'collateral with any character of its %s changed is refused',
  (name) => {
    const text = Buffer.from(sample.collateral[name] ?? '')
    expect(
      acceptedFlips(text, (changed) => withCollateral(sample, { [name]: changed.toString('latin1') })),
    ).toEqual([])
  },
)
