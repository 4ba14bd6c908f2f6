import type { Vector } from '#contract/models'
import { digest, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from '../bundle.ts'
import { admitted, malformed, type Question, refused } from '../vector.ts'

const wire = SNAPSHOT_DIGEST.slice('sha256/'.length)
const hex = Buffer.from(wire, 'base64url').toString('hex')
// Of the last character only four bits count: the next one in the alphabet spells the same bytes.
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const strayBit = wire.slice(0, -1) + LETTERS[LETTERS.indexOf(wire.at(-1)!) + 1]
const other = digest('another deployment')
const pinned = (...pins: string[]): Question => ({ expect: { pins } })
const asked = (...policies: string[]): Question => ({ expect: { policies }, needs: ['policies'] })
const standard = Buffer.alloc(32, 0xfb).toString('base64')

/** The same letters but for the case of all that are no last one, whose case may not be canonical. */
function otherCase(text: string): string {
  const swapped = [...text].map((letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return swapped.slice(0, -1).join('') + text.at(-1)
}

/** Which deployments are approved. */
export const policyVectors: readonly Vector[] = [
  ...admitted('policy', ['DIG-04', 'DIG-05', 'DIG-06'], {
    'pin-in-hex': ['A pin may be sha256: and hexadecimal digits', pinned(`sha256:${hex}`)],
    'pin-in-hex-with-slash': ['A pin may be sha256/ and hexadecimal digits', pinned(`sha256/${hex}`)],
    'pin-in-bare-hex': ['A pin may be hexadecimal digits alone', pinned(hex)],
    'pin-with-white-space-around': [
      'White space around a pin changes nothing',
      pinned(`  ${SNAPSHOT_DIGEST}\n`),
    ],
    'pin-in-capitals': ['Hexadecimal digits of a pin may be capitals', pinned(hex.toUpperCase())],
    'one-pin-of-several': ['One of several pins is enough', pinned(other, SNAPSHOT_DIGEST)],
  }),
  ...admitted('policy', 'DIG-07', {
    'pin-with-padding': ['One trailing = of a pin is tolerated', pinned(`${SNAPSHOT_DIGEST}=`)],
  }),
  ...refused('policy', 'no_pins', ['VRFY-22', 'CMD-21'], {
    'no-pins': ['Without a pin nothing is admitted, and nothing is trusted at first sight', pinned()],
    'no-pins-but-a-policy': [
      'A policy that allows is no pin',
      { expect: { pins: [], policies: ['true'] }, needs: ['policies'] },
    ],
  }),
  ...refused('policy', 'digest_not_pinned', 'VRFY-22', {
    'another-pin': ['A deployment that is not pinned is refused', pinned(other)],
    'pin-in-another-case': [
      'The case of the letters of a pin in base64url counts',
      pinned(`sha256/${otherCase(wire)}`),
    ],
    'pin-of-the-leaf': ['The fingerprint of the connection is no pin', pinned(TLS_FINGERPRINT)],
    'not-pinned-but-allowed': [
      'A policy that allows does not approve what is not pinned',
      {
        expect: { pins: [other], policies: ['true'] },
        needs: ['policies'],
      },
    ],
  }),
  ...refused('policy', 'digest_not_pinned', 'BNDL-20', {
    'digest-beside-the-signature': [
      'A pinned digest that only the envelope shows approves nothing',
      { envelope: { evidenceDigest: other }, ...pinned(other) },
    ],
  }),
  ...refused('policy', 'policy_failed', 'BNDL-20', {
    'evidence-beside-the-signature': [
      'A policy does not see evidence that only the envelope shows',
      { envelope: { evidence: { attested: true } }, ...asked('evidence.attested') },
    ],
  }),
  ...malformed('policy', 'DIG-07', {
    'pin-with-stray-bit': [
      'A pin whose last character is not the canonical one is not taken',
      pinned(`sha256/${strayBit}`),
    ],
    'pin-with-two-paddings': ['Two trailing = are not taken', pinned(`${SNAPSHOT_DIGEST}==`)],
  }),
  ...malformed('policy', 'DIG-06', {
    'pin-empty': ['An empty pin is not taken', pinned('')],
    'pin-too-short': ['A pin of 63 digits is not taken', pinned(hex.slice(1))],
    'pin-too-long': ['A pin of 65 digits is not taken', pinned(`${hex}0`)],
    'pin-of-another-hash': ['A pin that names another hash is not taken', pinned(`sha512:${hex}`)],
    'pin-prefix-in-capitals': ['A pin that begins with SHA256: is not taken', pinned(`SHA256:${hex}`)],
    'pin-in-plain-base64': [
      'A pin in the usual alphabet of base64 is not taken',
      pinned(`sha256/${standard}`),
    ],
    'pin-with-white-space-in-it': ['A pin with white space in it is not taken', pinned(`sha256/ ${wire}`)],
    'one-bad-pin-of-several': [
      'One pin that is none spoils the request, though another would admit',
      pinned(SNAPSHOT_DIGEST, 'x'),
    ],
  }),
  ...admitted('policy', 'VRFY-23', {
    'policies-allow': [
      'A deployment that every policy allows is admitted',
      asked(
        'evidence.version == 2',
        'evidence.resources.all(r, r.configuration.upstreamLogging == "off")',
        `hostname == "router.example" && digest == "${SNAPSHOT_DIGEST}"`,
        'issuedAt < timestamp("2026-06-01T12:00:00Z")',
      ),
    ],
    'no-policies': ['An empty list of policies forbids nothing', asked()],
  }),
  ...refused('policy', 'policy_refused', 'VRFY-23', {
    'policy-says-no': [
      'A policy that says no refuses',
      asked('evidence.resources.all(r, r.kind == "Secret")'),
    ],
    'second-policy-says-no': ['One policy that says no is enough', asked('true', 'false', 'true')],
  }),
  ...refused('policy', 'policy_failed', 'VRFY-23', {
    'policy-asks-for-what-is-absent': [
      'A policy that asks for what the evidence does not hold refuses',
      asked('evidence.attested == true'),
    ],
    'policy-gives-no-answer': [
      'A policy that gives neither true nor false refuses',
      asked('evidence.version'),
    ],
    'first-fails-second-allows': [
      'A policy that fails is not made up for by another',
      asked('evidence.absent', 'true'),
    ],
  }),
  ...malformed('policy', 'VRFY-23', {
    'policy-is-no-expression': ['A policy that cannot be read is not taken', asked('evidence.version ==')],
  }),
]
