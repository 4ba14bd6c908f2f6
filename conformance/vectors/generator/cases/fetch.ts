import type { Vector, VectorPiece } from '#contract/models'
import { bundleOf, envelopeOf } from '../bundle.ts'
import { admitted, type Question, refused } from '../vector.ts'

const text = bundleOf()
const MEBIBYTE = 1_048_576
const bytes = Buffer.byteLength(text)
const first = (member: string): Question => ({ raw: text.replace('{', `{${member},`) })
const quote = (rootCaTeeQuote: unknown): Question => ({ envelope: { rootCaTeeQuote } })
const bom = Buffer.of(0xef, 0xbb, 0xbf)

/** The form of what is fetched: its size, and its being JSON. */
export const fetchVectors: readonly Vector[] = [
  ...admitted('fetch', 'VRFY-05', {
    'white-space-around': [
      'White space around a bundle and within it changes nothing',
      {
        raw: ` \r\n\t${JSON.stringify(envelopeOf(), null, 2)}\n`,
      },
    ],
    'escaped-names': [
      'A member’s name may be spelled with escapes',
      { raw: text.replace('"kind"', '"k\\u0069nd"') },
    ],
    'hostname-in-capitals': [
      'The case of the letters of a hostname does not count',
      {
        expect: { hostname: 'Router.EXAMPLE' },
      },
    ],
    'moderate-nesting': ['A bundle may nest as deep as evidence needs', { raw: nested(32, text) }],
  }),
  ...admitted('fetch', 'BNDL-18', {
    'unknown-members': [
      'Members that nobody knows are let be',
      { envelope: { extra: { a: [1, null, 'b'] } } },
    ],
    'prototype-member': [
      'A member called __proto__ is a member like others',
      first('"__proto__":{"admitted":true}'),
    ],
  }),
  ...admitted('fetch', 'BNDL-17', {
    'no-tls-leaf': ['A bundle does not need a tlsLeaf', { envelope: { tlsLeaf: undefined } }],
    'no-quote': ['A bundle does not need a rootCaTeeQuote', { envelope: { rootCaTeeQuote: undefined } }],
  }),
  ...admitted('fetch', 'BNDL-26', {
    'quote-of-deployed-platforms': [
      'A quote with its format, its data and its collateral passes',
      quote({ format: 'intel-tdx-quote-v5', data: 'BAACAIEA', collateral: { crl: 'MIIB' } }),
    ],
    'quote-without-members': ['A quote that says nothing passes', quote({})],
    'quote-null': ['A quote that is null passes', quote(null)],
    'quote-text': ['A quote that is a text passes', quote('not-implemented')],
    'quote-list': ['A quote that is a list passes', quote([1, { a: [] }])],
    'quote-with-another-status': ['A quote whose status is a number passes', quote({ status: 1 })],
  }),
  ...admitted('fetch', 'BNDL-15', {
    'version-as-text': [
      'The version may be written as the text "1"',
      { envelope: { version: '1' }, payload: { version: '1' } },
    ],
  }),
  ...admitted('fetch', 'VRFY-04', {
    'exactly-the-cap': [
      'A bundle of exactly 1 MiB is taken',
      {
        raw: [{ text }, { text: ' ', times: MEBIBYTE - bytes }],
      },
    ],
  }),
  ...refused('fetch', 'too_large', 'VRFY-04', {
    'one-byte-over': [
      'A bundle of one byte more than 1 MiB is refused',
      {
        raw: [{ text }, { text: ' ', times: MEBIBYTE - bytes + 1 }],
      },
    ],
    'large-member': [
      'A bundle that an unknown member makes too large is refused',
      {
        raw: [
          { text: '{"more":"' },
          { text: 'x', times: 2 * MEBIBYTE },
          { text: `"${text.replace('{', ',')}` },
        ],
      },
    ],
    'large-and-no-json': [
      'What is too large is not looked into',
      {
        raw: [{ text: 'x', times: MEBIBYTE + 1 }],
        isHopeless: true,
      },
    ],
  }),
  ...refused('fetch', 'not_json', 'VRFY-05', {
    empty: ['An empty answer is refused', { raw: '', isHopeless: true }],
    'html-page': ['A page is refused', { raw: '<!doctype html><title>Sign in</title>', isHopeless: true }],
    'byte-order-mark': ['A byte order mark is refused', { raw: Buffer.concat([bom, Buffer.from(text)]) }],
    'utf-16': ['A bundle in UTF-16 is refused', { raw: Buffer.from(text, 'utf16le'), isHopeless: true }],
    'invalid-utf-8': [
      'Bytes that are no UTF-8 are refused',
      {
        raw: Buffer.concat([
          Buffer.from('{"more":"'),
          Buffer.of(0xff),
          Buffer.from(`"${text.replace('{', ',')}`),
        ]),
      },
    ],
    'overlong-utf-8': [
      'A character spelled with more bytes than it needs is refused',
      {
        raw: Buffer.concat([
          Buffer.from('{"more":"'),
          Buffer.of(0xc1, 0xa1),
          Buffer.from(`"${text.replace('{', ',')}`),
        ]),
      },
    ],
    'cut-off': ['A bundle that is cut off is refused', { raw: text.slice(0, -1), isHopeless: true }],
    'second-document': [
      'A second document behind the first is refused',
      { raw: `${text}{}`, isHopeless: true },
    ],
    'comma-at-the-end': [
      'A comma behind the last member is refused',
      { raw: `${text.slice(0, -1)},}`, isHopeless: true },
    ],
    comment: ['A comment is refused', { raw: `/* evidence */${text}`, isHopeless: true }],
    'not-a-number': ['NaN is refused', { ...first('"more":NaN'), isHopeless: true }],
    'leading-zero': ['A number with a leading zero is refused', { ...first('"more":01'), isHopeless: true }],
    'bare-control-character': [
      'A control character that is not escaped is refused',
      { ...first('"more":"\u0001"'), isHopeless: true },
    ],
    'single-quotes': [
      'Texts in single quotes are refused',
      { raw: text.replaceAll('"', "'"), isHopeless: true },
    ],
    'other-white-space': [
      'White space that JSON does not know is refused',
      { raw: `\u00a0${text}`, isHopeless: true },
    ],
  }),
]

/** A bundle with a member that nests so deep. */
export function nested(depth: number, bundle: string): VectorPiece[] {
  return [
    { text: '{"more":' },
    { text: '[', times: depth },
    { text: ']', times: depth },
    { text: bundle.replace('{', ',') },
  ]
}
