import type { Vector } from '#contract/models'
import { issue } from '../certificate.ts'
import { type Chain, chainOf, usualChain } from '../chain.ts'
import { basicConstraints, keyUsage } from '../extensions.ts'
import { keyOf } from '../keys.ts'
import { refused } from '../vector.ts'
import { chainOfFour } from './chain-admitted.ts'
import { intermediateSays, rootSays } from './chain-says.ts'

const described = usualChain('p256')

/** A leaf that issued another leaf. */
function leafAsIssuer(): Chain {
  const second = keyOf('second', 'p256')
  const extra = issue({
    ...described.leaf,
    issuer: 'Evidence Signer',
    subject: 'Borrowed Signer',
    key: second,
    signer: described.leaf.key,
  })
  return { key: second, certificates: [extra, ...chainOf('p256').certificates] }
}

/** Who may issue certificates. */
export const authorityVectors: readonly Vector[] = [
  ...refused('cert-chain', 'not_a_ca', 'VRFY-07', {
    'issuer-is-no-authority': [
      'An issuer that says it is no authority is refused',
      intermediateSays(basicConstraints(false), keyUsage('keyCertSign')),
    ],
    'issuer-says-nothing': [
      'An issuer without basic constraints is refused',
      intermediateSays(keyUsage('keyCertSign')),
    ],
    'issuer-without-extensions': [
      'An issuer without any extension is refused',
      {
        chain: chainOf('p256', { intermediate: { extensions: [], identifiers: false } }),
      },
    ],
    'leaf-as-issuer': ['A leaf that issued another certificate is refused', { chain: leafAsIssuer() }],
    'root-first': [
      'A chain from the root down is refused: its leaf is no authority',
      {
        chain: { key: described.leaf.key, certificates: chainOf('p256').certificates.toReversed() },
        isHopeless: true,
      },
    ],
    'root-is-no-authority': [
      'A root that is no authority is refused, though it is trusted',
      rootSays(keyUsage('keyCertSign')),
    ],
  }),
  ...refused('cert-chain', 'path_too_long', 'VRFY-07', {
    'root-allows-none': [
      'An intermediate below a root that allows none is refused',
      rootSays(basicConstraints(true, 0), keyUsage('keyCertSign')),
    ],
    'intermediate-allows-none': [
      'An intermediate below one that allows none is refused',
      { chain: chainOfFour(9, 0) },
    ],
    'root-allows-one': [
      'Two intermediates below a root that allows one are refused',
      { chain: chainOfFour(1, 1) },
    ],
  }),
  ...refused('cert-chain', 'key_usage', 'VRFY-07', {
    'intermediate-may-not-sign': [
      'An intermediate that may not sign certificates is refused',
      intermediateSays(basicConstraints(true), keyUsage('digitalSignature')),
    ],
    'intermediate-may-sign-lists-only': [
      'An intermediate that may sign revocation lists alone is refused',
      intermediateSays(basicConstraints(true), keyUsage('cRLSign')),
    ],
    'root-may-not-sign': [
      'A root that may not sign certificates is refused',
      rootSays(basicConstraints(true), keyUsage('digitalSignature')),
    ],
  }),
]
