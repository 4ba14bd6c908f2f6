import type { Vector } from '#contract/models'
import { chainOf, HOSTNAME } from '../chain.ts'
import { keyUsage, type Name, subjectNames } from '../extensions.ts'
import { type Question, refused, trusted } from '../vector.ts'
import { leafSays } from './chain-says.ts'

const leafFor = (...names: Name[]): Question => leafSays(subjectNames(...names), keyUsage('digitalSignature'))
const elsewhere = chainOf('p256', { leaf: { extensions: [keyUsage('digitalSignature')] } })

/** What hostname the leaf is for. */
export const nameVectors: readonly Vector[] = [
  ...refused('cert-chain', 'leaf_name_mismatch', 'VRFY-12', {
    'leaf-of-another-host': ['A leaf for another hostname is refused', leafFor(['dns', 'other.example'])],
    'leaf-of-a-host-below': ['A leaf for a hostname below is refused', leafFor(['dns', `a.${HOSTNAME}`])],
    'leaf-of-the-domain-above': ['A leaf for the domain above is refused', leafFor(['dns', 'example'])],
    'leaf-with-another-end': [
      'A leaf for a hostname that goes on is refused',
      leafFor(['dns', `${HOSTNAME}.test`]),
    ],
    'hostname-as-common-name': [
      'A common name is no DNS name',
      {
        chain: chainOf('p256', { leaf: { subject: HOSTNAME, extensions: [keyUsage('digitalSignature')] } }),
      },
    ],
    'leaf-without-names': ['A leaf without names is refused', { chain: elsewhere }],
    'hostname-as-mail': ['A mail address is no DNS name', leafFor(['mail', `a@${HOSTNAME}`])],
    'hostname-as-uri': ['A URI is no DNS name', leafFor(['uri', `https://${HOSTNAME}`])],
    'wildcard-over-two-labels': [
      'A wildcard does not cover two labels',
      leafForBelow('*.router.example', 'a.b.router.example'),
    ],
    'wildcard-over-the-last-two-labels': [
      'A wildcard does not cover a hostname of only two labels',
      leafFor(['dns', '*.example']),
    ],
    'wildcard-over-none': [
      'A wildcard does not cover the name without a label in its place',
      leafFor(['dns', `*.${HOSTNAME}`]),
    ],
    'wildcard-within-a-label': ['A wildcard is a whole label', leafFor(['dns', 'r*.example'])],
    'wildcard-in-the-middle': [
      'A wildcard is the first label',
      leafForBelow('vm.*.example', 'vm.router.example'),
    ],
    'nameless-under-a-usual-root': [
      'An exemption of another root does not help',
      {
        chain: elsewhere,
        expect: {
          roots: [trusted(elsewhere.certificates[2]!), trusted(chainOf('p384').certificates[2]!, false)],
        },
        needs: ['nameless-leaves'],
      },
    ],
  }),
]

function leafForBelow(name: string, hostname: string): Question {
  return { ...leafFor(['dns', name]), payload: { hostname }, envelope: { hostname }, expect: { hostname } }
}
