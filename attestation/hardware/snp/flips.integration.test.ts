import { expect, test } from 'vitest'
import { parsePem } from '../../pem.ts'
import { toPem } from '../../testing/certificates.ts'
import { flip, placesOf, refusalOf, withCollateral, withData } from '../testing/judging.ts'
import { snpSamples } from '../testing/real.ts'
import { type SampleMember, snpSample } from '../testing/samples.ts'

/** The places at which a flipped bit leaves a member accepted. */
function acceptedFlips(bytes: Buffer, now: string, change: (bytes: Buffer) => SampleMember): number[] {
  return placesOf(bytes).filter((at) => refusalOf(change(flip(bytes, at)), now) === undefined)
}

test.each(snpSamples)('%s with any byte changed is refused', (_, sample, now) => {
  const data = Buffer.from(sample.data, 'base64')
  expect(acceptedFlips(data, now, (changed) => withData(sample, () => changed))).toEqual([])
})

test.each(snpSamples)('%s with any byte of its certificate changed is refused', (_, sample, now) => {
  const [[kind = '', pem = ''] = []] = Object.entries(sample.collateral)
  const der = parsePem(pem)
  expect(acceptedFlips(der, now, (changed) => withCollateral(sample, { [kind]: toPem(changed) }))).toEqual([])
})

test('a certificate with any character of its PEM changed is refused', () => {
  const [[, sample, now]] = snpSamples
  const { vcek = '' } = snpSample('milan-v2').collateral
  const change = (text: Buffer) => withCollateral(sample, { vcek: text.toString('latin1') })
  expect(acceptedFlips(Buffer.from(vcek), now, change)).toEqual([])
})
