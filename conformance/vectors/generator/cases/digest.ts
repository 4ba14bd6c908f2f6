import type { Vector } from '#contract/models'
import { digest, PAYLOAD } from '../bundle.ts'
import { admitted, type Question, refused } from '../vector.ts'

/** A snapshot spelled in some way, under the digest of some text, which is pinned. */
function spelled(snapshot: string, hashed: string): Question {
  const evidenceDigest = digest(hashed)
  const { evidence: _, ...others } = PAYLOAD
  const head = JSON.stringify({ ...others, evidenceDigest }).slice(0, -1)
  return { payloadText: `${head},"evidence":${snapshot}}`, expect: { pins: [evidenceDigest] } }
}

const integerKeys = '{"b":1,"10":2,"9":3}'
const numbers = '{"a":1.0,"b":1e2,"c":-0,"d":0.10,"e":1E-7}'
const spaced = '{ "b" : [ 1 , 2 ] ,\n\t"a" : "x  y" }'
const escaped = '{"a":"\\u0041\\/\\u00e9"}'
const astral = '{"\\ud83d\\ude00":1,"\\ufb33":2,"\\u20ac":3}'

/** Of which texts of a snapshot the signed digest may be. */
export const digestVectors: readonly Vector[] = [
  ...admitted('jws', 'BNDL-22', {
    'digest-of-canonical': [
      'The digest of the canonical JSON is accepted, in whatever order it was written',
      spelled(integerKeys, '{"10":2,"9":3,"b":1}'),
    ],
    'digest-of-canonical-numbers': [
      'Numbers are hashed as RFC 8785 writes them',
      spelled(numbers, '{"a":1,"b":100,"c":0,"d":0.1,"e":1e-7}'),
    ],
    'digest-of-canonical-text': ['Texts are hashed as RFC 8785 writes them', spelled(escaped, '{"a":"A/é"}')],
    'digest-of-canonical-order': [
      'Names are ordered by their UTF-16 code units',
      spelled(astral, '{"€":3,"😀":1,"\ufb33":2}'),
    ],
    'digest-of-canonical-spaced': [
      'White space is no part of the canonical JSON',
      spelled(spaced, '{"a":"x  y","b":[1,2]}'),
    ],
    'digest-of-an-empty-snapshot': ['An empty snapshot has a digest too', spelled('{}', '{}')],
    'digest-beside-prototype': [
      'A name like __proto__ counts like any other',
      spelled('{"__proto__":{"a":1},"b":2}', '{"__proto__":{"a":1},"b":2}'),
    ],
  }),
  ...admitted('jws', 'BNDL-23', {
    'digest-of-raw-text': [
      'The digest of the snapshot’s own text is accepted',
      spelled(integerKeys, integerKeys),
    ],
    'digest-of-raw-numbers': [
      'The digest of numbers as they are spelled is accepted',
      spelled(numbers, numbers),
    ],
    'digest-of-raw-escapes': [
      'The digest of escapes as they are spelled is accepted',
      spelled(escaped, escaped),
    ],
    'digest-of-raw-less-space': [
      'White space between the parts of the text is left out',
      spelled(spaced, '{"b":[1,2],"a":"x  y"}'),
    ],
  }),
  ...admitted('jws', 'BNDL-24', {
    'largest-integer': [
      'An integer of 2^53 is accepted',
      spelled('{"a":9007199254740992}', '{"a":9007199254740992}'),
    ],
    'large-number-that-is-no-integer': [
      'A large number with an exponent is no integer',
      spelled('{"a":1e300}', '{"a":1e+300}'),
    ],
  }),
  ...refused('jws', 'digest_mismatch', 'BNDL-23', {
    'digest-of-reordered-keys': [
      'The digest of keys in a parser’s order is refused',
      spelled(integerKeys, '{"9":3,"10":2,"b":1}'),
    ],
    'digest-of-respelled-numbers': [
      'The digest of numbers that were respelled in the text’s order is refused',
      spelled('{"b":1.0,"a":2}', '{"b":1,"a":2}'),
    ],
    'digest-of-raw-with-space': [
      'The digest of a text with its white space is refused',
      spelled(spaced, spaced),
    ],
    'digest-of-indented': ['The digest of an indented text is refused', spelled('{"a":1}', '{\n  "a": 1\n}')],
    'digest-less-space-in-texts': [
      'White space within a text is not left out',
      spelled(spaced, '{"b":[1,2],"a":"xy"}'),
    ],
    'digest-with-line-end': [
      'The digest of a text with a line end is refused',
      spelled('{"a":1}', '{"a":1}\n'),
    ],
    'digest-of-half-canonical': [
      'Canonical order with the text’s numbers is refused',
      spelled('{"b":1.0,"a":2}', '{"a":2,"b":1.0}'),
    ],
  }),
  ...refused('jws', 'payload_malformed', 'BNDL-24', {
    'integer-beyond-in-the-snapshot': [
      'An integer beyond 2^53 in a snapshot is refused, though its text has the digest',
      spelled('{"a":9007199254740993}', '{"a":9007199254740993}'),
    ],
  }),
]
