import { expect, test } from 'vitest'
import type { Json } from '../json-value.ts'
import { refusalOf, withCollateral, withoutCertificates } from './testing/judging.ts'
import { MILAN_AT, V4_AT } from './testing/real.ts'
import { snpSample, tdxSample } from './testing/samples.ts'

const milan = snpSample('milan-v2')
const v4 = tdxSample('tdx_quote', 4)
const bare = withoutCertificates(v4)

test.each<readonly [string, Json | undefined, string]>([
  ['nothing', undefined, 'quote_missing'],
  ['null', null, 'quote_missing'],
  ['what says that there is none', { status: 'not-implemented' }, 'quote_missing'],
  ['a label alone', { format: 'amd-sev-snp-report' }, 'quote_missing'],
  ['a text', 'quote', 'quote_malformed'],
  ['a list', [], 'quote_malformed'],
  ['data that is no text', { ...milan, data: 7 }, 'quote_malformed'],
  ['no label', { data: milan.data }, 'quote_malformed'],
  ['an unknown label', { ...milan, format: 'intel-sgx-quote-v3' }, 'quote_unsupported'],
  ['no data', { ...milan, data: '' }, 'quote_malformed'],
  ['data with a line end', { ...milan, data: `${milan.data}\n` }, 'quote_malformed'],
  ['data as it stands in URLs', { ...milan, data: milan.data.replace(/=+$/, '') }, 'quote_malformed'],
  ['no collateral', { format: milan.format, data: milan.data }, 'collateral_missing'],
  [
    'the other certificate of AMD',
    { ...milan, collateral: { vlek: milan.collateral.vcek ?? '' } },
    'collateral_missing',
  ],
  [
    'a certificate with a line before it',
    withCollateral(milan, { vcek: `\n${milan.collateral.vcek}` }),
    'endorsement_invalid',
  ],
  [
    'a certificate twice',
    withCollateral(milan, { vcek: `${milan.collateral.vcek}${milan.collateral.vcek}` }),
    'endorsement_invalid',
  ],
  ['no certificate', withCollateral(milan, { vcek: '' }), 'endorsement_invalid'],
  ['a Milan without its version, as TDX', { ...milan, format: 'intel-tdx-quote-v4' }, 'quote_malformed'],
])('%s instead of a quote is refused', (_, member, reason) => {
  expect(refusalOf(member, MILAN_AT)).toBe(reason)
})

test.each(Object.keys(v4.collateral).filter((name) => name !== 'pck_crl_issuer_chain'))(
  'collateral without %s is refused',
  (name) => {
    const { [name]: _, ...collateral } = v4.collateral
    expect(refusalOf({ ...v4, collateral }, V4_AT)).toBe('collateral_missing')
    expect(refusalOf({ ...v4, collateral: { ...collateral, [name]: 7 } }, V4_AT)).toBe('collateral_invalid')
  },
)

test.each<readonly [Json, string]>([
  [null, 'collateral_missing'],
  ['', 'endorsement_invalid'],
  [0, 'collateral_invalid'],
  [false, 'collateral_invalid'],
  [true, 'collateral_invalid'],
  [[], 'collateral_invalid'],
])('a quote without certificates, and with %j in place of those beside it, is refused', (chain, reason) => {
  expect(
    refusalOf({ ...bare, collateral: { ...bare.collateral, pck_certificate_chain: chain } }, V4_AT),
  ).toBe(reason)
})

test('a chain that is null is none, where the quote has its own', () => {
  const collateral = { ...v4.collateral, pck_certificate_chain: null }
  expect(refusalOf({ ...v4, collateral }, V4_AT)).toBeUndefined()
})
