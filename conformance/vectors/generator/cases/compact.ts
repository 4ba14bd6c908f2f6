import type { Vector } from '#contract/models'
import { base64url } from '../bundle.ts'
import { type Question, refused } from '../vector.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const rewritten = (rewrite: (jws: string) => string): Question => ({ rewrite })
const part = (place: number, change: (text: string) => string): Question =>
  rewritten((jws) =>
    jws
      .split('.')
      .map((text, index) => (index === place ? change(text) : text))
      .join('.'),
  )

/** Another spelling of the same bytes: the last character's idle bits are set. */
function strayBit(text: string): string {
  return text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.at(-1)!) + 1]
}

/** The usual alphabet of base64 instead of that of URLs; a text that has none of its letters gets one. */
function plainBase64(text: string): string {
  return Buffer.from(text, 'base64url').toString('base64').replace(/=+$/, '')
}

/** Whether it is a compact JWS in its one spelling. */
export const compactVectors: readonly Vector[] = refused('jws', 'jws_malformed', 'VRFY-14', {
  'two-parts': [
    'A signature of two parts is refused',
    { ...rewritten((jws) => jws.split('.').slice(0, 2).join('.')) },
  ],
  'four-parts': ['A signature of four parts is refused', rewritten((jws) => `${jws}.e30`)],
  'five-parts': [
    'An encrypted document is no signature',
    { ...rewritten(() => 'e30.e30.e30.e30.e30'), isHopeless: true },
  ],
  'empty-text': ['An empty text is no signature', { ...rewritten(() => ''), isHopeless: true }],
  'json-form': [
    'A signature in the JSON form of JWS is refused',
    {
      ...rewritten((jws) => {
        const [header, payload, signature] = jws.split('.')
        return JSON.stringify({ payload, protected: header, signature })
      }),
      isHopeless: true,
    },
  ],
  // Of this header the length is no multiple of three.
  'padded-header': [
    'A header with padding is refused',
    { ...part(0, (text) => `${text}=`), headerText: '{"alg":"ES256"}  ' },
  ],
  'padded-payload': ['A payload with padding is refused', part(1, (text) => `${text}=`)],
  'padded-signature': ['A signature with padding is refused', part(2, (text) => `${text}==`)],
  'stray-bit-in-the-header': [
    'A header with a stray last bit is refused',
    { ...part(0, strayBit), headerText: '{"alg":"ES256"}  ' },
  ],
  'stray-bit-in-the-payload': ['A payload with a stray last bit is refused', part(1, strayBit)],
  'stray-bit-in-the-signature': ['A signature with a stray last bit is refused', part(2, strayBit)],
  'plain-base64': ['A signature in the usual alphabet of base64 is refused', part(2, plainBase64)],
  'line-break-within': [
    'A line break within a signature is refused',
    part(1, (text) => `${text.slice(0, 40)}\n${text.slice(40)}`),
  ],
  'white-space-behind': ['White space behind a signature is refused', rewritten((jws) => `${jws} `)],
  'header-is-no-json': ['A header that is no JSON is refused', { headerText: 'ES256' }],
  'header-is-an-array': ['A header that is no object is refused', { headerText: '["ES256"]' }],
  'header-without-alg': ['A header without an algorithm is refused', { headerText: '{"typ":"JOSE"}' }],
  'alg-is-no-text': ['An algorithm that is no text is refused', { headerText: '{"alg":["ES256"]}' }],
  'alg-twice': [
    'A header that names its algorithm twice is refused',
    { headerText: '{"alg":"none","alg":"ES256"}' },
  ],
  'alg-twice-escaped': [
    'A header that names its algorithm twice is refused, however that is spelled',
    {
      headerText: '{"alg":"ES256","\\u0061lg":"none"}',
    },
  ],
  'header-with-byte-order-mark': [
    'A header with a byte order mark is refused',
    {
      rewrite: (jws) => [base64url('\ufeff{"alg":"ES256"}'), ...jws.split('.').slice(1)].join('.'),
    },
  ],
})
