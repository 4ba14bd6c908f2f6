import fc from 'fast-check'
import { expect, test } from 'vitest'
import { snpSamples, tdxSamples } from './hardware/testing/real.ts'
import { AttestationError, verifyBundle } from './index.ts'
import type { Json } from './json-value.ts'
import { makeCase } from './testing/evidence.ts'

const samples: readonly Json[] = [...snpSamples, ...tdxSamples].map(([, member]) => member)
/** Integers that readers of JSON disagree about refuse a bundle wherever they stand (BNDL-24). */
const json = fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value)))
const member = fc.record(
  {
    status: fc.constantFrom('not-implemented', 'simulated', 'x'),
    format: fc.constantFrom('amd-sev-snp-report', 'intel-tdx-quote-v4', 'x'),
    data: fc.base64String(),
    collateral: json,
  },
  { requiredKeys: [] },
)
const anyQuote = fc.oneof(fc.constantFrom(...samples), member, json)

/** What is said of a bundle, and why it is refused. */
async function verdictOn({ bytes, expected }: ReturnType<typeof makeCase>): Promise<unknown> {
  return await verifyBundle(bytes, expected).catch((refusal: unknown) => {
    if (!(refusal instanceof AttestationError)) throw refusal
    return [refusal.stage, refusal.reason]
  })
}

test('where nothing is demanded of hardware a quote of any form changes no verdict', async () => {
  const cases = [
    {},
    { payload: { kind: 'Receipt' } },
    { expected: { pins: [] } },
    { expected: { roots: [] } },
  ]
  for (const changes of cases) {
    const verdict = await verdictOn(makeCase(changes))
    await fc.assert(
      fc.asyncProperty(anyQuote, async (rootCaTeeQuote) => {
        expect(await verdictOn(makeCase({ ...changes, envelope: { rootCaTeeQuote } }))).toEqual(verdict)
      }),
    )
  }
})
