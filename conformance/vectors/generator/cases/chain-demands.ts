import type { Vector } from '#contract/models'
import { AUTHORITY, chainOf, HOSTNAME, LEAF } from '../chain.ts'
import { nil } from '../der.ts'
import { commonName, extension, keyUsage, type Name, nameConstraints, subjectNames } from '../extensions.ts'
import { type Question, refused } from '../vector.ts'
import { intermediateSays, leafSays, rootSays } from './chain-says.ts'

const constrained = (permitted: readonly Name[], excluded: readonly Name[] = [], leaf = LEAF): Question => ({
  chain: chainOf('p256', {
    leaf: { extensions: leaf },
    intermediate: { extensions: [...AUTHORITY, nameConstraints(permitted, excluded)] },
  }),
})
const unknown = extension('1.2.3.4', nil())
const both = [subjectNames(['dns', HOSTNAME], ['ip', Buffer.of(192, 0, 2, 1)]), keyUsage('digitalSignature')]
const leafWithUri = [
  subjectNames(['dns', HOSTNAME], ['uri', `https://${HOSTNAME}`]),
  keyUsage('digitalSignature'),
]
const network = Buffer.of(10, 0, 0, 0, 255, 0, 0, 0)

/** What certificates demand of those below them, and of whoever reads them. */
export const demandVectors: readonly Vector[] = [
  ...refused('cert-chain', 'name_constraint', 'VRFY-09', {
    'name-not-permitted': [
      'A name outside of what is permitted is refused',
      constrained([['dns', 'other.example']]),
    ],
    'name-excluded': ['A name that is excluded is refused', constrained([], [['dns', HOSTNAME]])],
    'name-excluded-above': [
      'A name below what is excluded is refused',
      constrained([], [['dns', 'example']]),
    ],
    'permitted-and-excluded': [
      'What is permitted and excluded is excluded',
      constrained([['dns', 'example']], [['dns', HOSTNAME]]),
    ],
    'name-with-the-same-end': [
      'A permitted name does not cover one that only ends like it',
      constrained([['dns', 'outer.example']]),
    ],
    'second-name-not-permitted': [
      'One name outside is enough',
      constrained(
        [['dns', HOSTNAME]],
        [],
        [subjectNames(['dns', HOSTNAME], ['dns', 'other.example']), keyUsage('digitalSignature')],
      ),
    ],
    'address-not-permitted': [
      'An address outside of what is permitted is refused',
      constrained([['ip', network]], [], both),
    ],
    'address-excluded': [
      'An address that is excluded is refused',
      constrained([], [['ip', Buffer.of(192, 0, 2, 0, 255, 255, 255, 0)]], both),
    ],
    'directory-name-excluded': [
      'A subject that is excluded is refused',
      constrained([], [['directory', commonName('Evidence Signer')]]),
    ],
    'root-excludes': [
      'What the root excludes, no intermediate can permit',
      rootSays(...AUTHORITY, nameConstraints([], [['dns', 'example']])),
    ],
  }),
  ...refused('cert-chain', 'name_constraint', 'VRFY-09', {
    'wildcard-reaches-what-is-excluded': [
      'A wildcard that may stand for an excluded name is refused',
      constrained(
        [],
        [['dns', `vm-1.${HOSTNAME}`]],
        [subjectNames(['dns', HOSTNAME], ['dns', `*.${HOSTNAME}`]), keyUsage('digitalSignature')],
      ),
    ],
    'uri-excluded': [
      'A name of a kind that is not compared is refused where any of that kind is excluded',
      constrained([], [['uri', 'other.example']], [...leafWithUri]),
    ],
    'uri-not-permitted': [
      'A name of a kind that is not compared is refused where only some of that kind are permitted',
      constrained([['uri', 'other.example']], [], [...leafWithUri]),
    ],
    'excluded-of-a-form-that-nobody-reads': [
      'Where it is not known what is excluded, no name of that kind passes',
      constrained([], [['dns', '*.other.example']]),
    ],
    'address-excluded-by-half-a-mask': [
      'Where it is not known which addresses are excluded, none passes',
      constrained([], [['ip', Buffer.of(10, 0, 0, 0, 255, 0)]], both),
    ],
    'directory-name-excluded-in-other-letters': [
      'A subject that may be the excluded one in other letters is refused',
      constrained([], [['directory', commonName('EVIDENCE SIGNER')]]),
    ],
    'intermediate-excluded': [
      'An intermediate whose own name its root excludes is refused',
      {
        chain: chainOf('p256', {
          intermediate: { extensions: [...AUTHORITY, subjectNames(['dns', 'authority.test'])] },
          root: { extensions: [...AUTHORITY, nameConstraints([], [['dns', 'test']])] },
        }),
      },
    ],
    'intermediate-not-permitted': [
      'An intermediate whose own name its root does not permit is refused',
      {
        chain: chainOf('p256', {
          intermediate: { extensions: [...AUTHORITY, subjectNames(['dns', 'authority.test'])] },
          root: { extensions: [...AUTHORITY, nameConstraints([['dns', 'example']])] },
        }),
      },
    ],
  }),
  ...refused('cert-chain', 'unknown_critical_extension', 'VRFY-10', {
    'unknown-in-the-leaf': [
      'A leaf with a critical extension that nobody knows is refused',
      leafSays(...LEAF, unknown),
    ],
    'unknown-in-the-intermediate': [
      'An intermediate with a critical extension that nobody knows is refused',
      intermediateSays(...AUTHORITY, unknown),
    ],
    'unknown-in-the-root': [
      'A root with a critical extension that nobody knows is refused',
      rootSays(...AUTHORITY, unknown),
    ],
    'like-the-platforms-arc': [
      'An arc that only begins with the same digits is not the platforms’',
      leafSays(...LEAF, extension('1.3.6.1.3.88881.1', nil())),
    ],
  }),
]
