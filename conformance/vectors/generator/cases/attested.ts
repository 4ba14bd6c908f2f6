import type { Vector } from '#contract/models'
import { issue } from '../certificate.ts'
import { chainOf, usualChain } from '../chain.ts'
import { AMD_GUEST, amdQuote, attested, onAmd, onIntel } from '../hardware/attested.ts'
import { keyOf } from '../keys.ts'
import { admitted, refused, trusted } from '../vector.ts'

const root = chainOf('p256').certificates.at(-1)!
const stranger = keyOf('stranger', 'p256')
const foreign = issue({ ...usualChain('p256').root, key: stranger, signer: stranger })
const demanded = { attested: { measurements: [AMD_GUEST] } }
const { data, ...withoutData } = amdQuote()

/** What is demanded of whom, and what is no quote at all. */
export const attestedVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-27', {
    'no-quote-asked': [
      'Where no hardware is demanded, a quote that does not hold changes nothing',
      { envelope: { rootCaTeeQuote: amdQuote({ spoil: (report) => report.fill(1) }) } },
    ],
    'quote-of-another-root-asked': [
      'Hardware that is demanded of one root is not demanded of another',
      {
        needs: ['attested-roots'],
        expect: { roots: [trusted(root), { ...trusted(foreign), ...demanded }] },
      },
    ],
  }),
  ...refused('untrusted-root', 'root_not_trusted', 'VRFY-27', {
    'quote-in-place-of-trust': [
      'A genuine quote does not stand in for a root that is trusted',
      {
        ...onAmd(),
        expect: { ...onAmd().expect, roots: [{ ...trusted(foreign), ...demanded }] },
      },
    ],
  }),
  ...refused('untrusted-root', 'quote_missing', 'VRFY-26', {
    'no-quote': ['A root of which hardware is demanded needs a quote', attested(undefined, [AMD_GUEST])],
    'quote-null': ['A quote that is null is none', attested(null, [AMD_GUEST])],
    'quote-not-implemented': [
      'A platform that says that it has no quote has none',
      attested({ status: 'not-implemented' }, [AMD_GUEST]),
    ],
    'quote-without-data': ['A format without a quote is none', attested(withoutData, [AMD_GUEST])],
    'asked-at-one-of-two-places': [
      'A root that stands twice in the store has to meet what is demanded at one of the places',
      {
        needs: ['attested-roots'],
        expect: { roots: [{ ...trusted(root), ...demanded }, trusted(root)] },
      },
    ],
  }),
  ...refused('untrusted-root', 'quote_malformed', 'VRFY-26', {
    'quote-a-text': ['A quote that is a text is malformed', attested(data, [AMD_GUEST])],
    'quote-no-base64': [
      'Data that are not in base64 are no quote',
      attested({ ...amdQuote(), data: `${data}=` }, [AMD_GUEST]),
    ],
    'format-no-text': [
      'A format that is no text is none',
      attested({ ...amdQuote(), format: 1 }, [AMD_GUEST]),
    ],
  }),
  ...refused('untrusted-root', 'quote_unsupported', 'VRFY-26', {
    'format-unknown': [
      'A format that nobody knows is refused',
      attested({ ...amdQuote(), format: 'intel-sgx-quote-v3' }, [AMD_GUEST]),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-28', {
    'snp-simulated': [
      'A report under simulated vendors is refused under the real ones',
      onAmd({}, { vendors: null }),
    ],
    'tdx-simulated': [
      'A quote under simulated vendors is refused under the real ones: its collateral is not theirs',
      { ...onIntel({}, { vendors: null }) },
    ],
  }),
]
