import type { Vector } from '#contract/models'
import { bundleOf, envelopeOf } from '../bundle.ts'
import { chainOf, HOSTNAME } from '../chain.ts'
import { subjectNames } from '../extensions.ts'
import { type Question, refused } from '../vector.ts'
import { nested } from './fetch.ts'

const text = bundleOf()
const without = (name: string): Question => ({ envelope: { [name]: undefined }, isHopeless: true })
const first = (member: string): Question => ({ raw: text.replace('{', `{${member},`) })
/** A bundle that says throughout that it is for a hostname; its leaf is for the usual one. */
const signedFor = (hostname: string): Question => ({ payload: { hostname }, envelope: { hostname } })

/** The members of what is fetched, and for whom it is. */
export const memberVectors: readonly Vector[] = [
  ...refused('fetch', 'malformed_bundle', 'VRFY-05', {
    array: ['An array is no bundle', { raw: `[${text}]`, isHopeless: true }],
    text: ['A text is no bundle', { raw: JSON.stringify(text), isHopeless: true }],
    null: ['Null is no bundle', { raw: 'null', isHopeless: true }],
    'member-twice': [
      'A bundle with a member twice is refused, whichever of them is right',
      first('"hostname":"other.example"'),
    ],
    'member-twice-escaped': [
      'A member twice is refused, however it is spelled',
      first('"host\\u006eame":"other.example"'),
    ],
    'member-twice-deep-down': [
      'A name twice in any object of a bundle is refused',
      first('"more":{"a":1,"a":1}'),
    ],
    'deep-nesting': ['A bundle that nests without end is refused', { raw: nested(100_000, text) }],
    'lone-surrogate': ['Half a character is refused', first('"more":"\\ud800"')],
  }),
  ...refused('fetch', 'malformed_bundle', 'BNDL-16', {
    'no-version': ['A bundle without version is refused', { envelope: { version: undefined } }],
    'no-kind': ['A bundle without kind is refused', { envelope: { kind: undefined }, isHopeless: true }],
    'no-hostname': [
      'A bundle without hostname is refused',
      { envelope: { hostname: undefined }, isHopeless: true },
    ],
    'no-issued-at': [
      'A bundle without issuedAt is refused',
      { envelope: { issuedAt: undefined }, isHopeless: true },
    ],
    'no-fingerprint': [
      'A bundle without certFingerprint is refused',
      { envelope: { certFingerprint: undefined }, isHopeless: true },
    ],
    'no-chain': ['A bundle without certChain is refused', without('certChain')],
    'no-jws': ['A bundle without jws is refused', without('jws')],
    'chain-as-text': [
      'A chain in one text is refused',
      { envelope: { certChain: String(envelopeOf().certChain) }, isHopeless: true },
    ],
    'chain-of-numbers': [
      'A chain of something else than texts is refused',
      { envelope: { certChain: [1] }, isHopeless: true },
    ],
    'empty-chain': ['An empty chain is refused', { envelope: { certChain: [] }, isHopeless: true }],
    'jws-as-object': [
      'A signature that is no text is refused',
      { envelope: { jws: { payload: '', signatures: [] } }, isHopeless: true },
    ],
    'kind-as-list': [
      'A kind that is no text is refused',
      { envelope: { kind: ['DeploymentEvidence'] }, isHopeless: true },
    ],
    'version-true': ['A version that is neither number nor text is refused', { envelope: { version: true } }],
    'leaf-as-list': ['A tlsLeaf that is no text is refused', { envelope: { tlsLeaf: [] } }],
    'issued-yesterday': [
      'An issuedAt that is no time is refused',
      { envelope: { issuedAt: 'yesterday' }, isHopeless: true },
    ],
    'issued-without-zone': [
      'An issuedAt without a zone is refused',
      { envelope: { issuedAt: '2026-06-01T11:58:30' }, isHopeless: true },
    ],
    'issued-on-no-day': [
      'An issuedAt on a day that does not exist is refused',
      { envelope: { issuedAt: '2026-02-30T11:58:30Z' }, isHopeless: true },
    ],
    'fingerprint-in-hex': [
      'A published fingerprint in another form than that of the wire is refused',
      {
        envelope: { certFingerprint: `sha256:${'ab'.repeat(32)}` },
        isHopeless: true,
      },
    ],
    'fingerprint-stray-bit': [
      'A published fingerprint with a stray last bit is refused',
      {
        envelope: { certFingerprint: `sha256/${'A'.repeat(42)}B` },
        isHopeless: true,
      },
    ],
  }),
  ...refused('fetch', 'unsupported_version', 'VRFY-05', {
    'version-2': ['Version 2 is refused', { envelope: { version: 2 } }],
    'version-2-as-text': ['Version "2" is refused', { envelope: { version: '2' } }],
    'version-0': ['Version 0 is refused', { envelope: { version: 0 } }],
    'version-spelled-oddly': ['Version "01" is refused', { envelope: { version: '01' } }],
  }),
  ...refused('fetch', 'unsupported_kind', 'VRFY-05', {
    'another-kind': ['Another kind is refused', { envelope: { kind: 'ImageEvidence' }, isHopeless: true }],
    'kind-in-small-letters': [
      'The kind in small letters is another kind',
      { envelope: { kind: 'deploymentevidence' }, isHopeless: true },
    ],
  }),
  ...refused('fetch', 'hostname_mismatch', 'VRFY-05', {
    'another-hostname': ['A bundle for another hostname is refused', signedFor('other.example')],
    'hostname-below': [
      'A bundle for a hostname below the one that was asked is refused',
      signedFor(`a.${HOSTNAME}`),
    ],
    'hostname-with-port': ['A bundle whose hostname has a port is refused', signedFor(`${HOSTNAME}:443`)],
    'hostname-with-white-space': ['White space in a hostname is not cut off', signedFor(` ${HOSTNAME}`)],
    'hostname-with-a-dot': ['A hostname with a dot behind it is another one', signedFor(`${HOSTNAME}.`)],
    'hostname-with-a-look-alike': [
      'A letter beyond ASCII is no capital of another',
      {
        ...signedFor('\u212a.example.test'),
        chain: chainOf('p256', { leaf: { extensions: [subjectNames(['dns', 'k.example.test'])] } }),
        expect: { hostname: 'k.example.test' },
      },
    ],
    'whole-bundle-of-another': [
      'A bundle that is whole, but of another endpoint, is refused',
      {
        expect: { hostname: 'other.example' },
        isHopeless: true,
      },
    ],
  }),
]
