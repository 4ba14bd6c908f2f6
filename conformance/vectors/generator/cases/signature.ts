import { createHmac } from 'node:crypto'
import type { Vector } from '#contract/models'
import { ALGORITHMS, base64url, jwsOf, PAYLOAD } from '../bundle.ts'
import { chainOf } from '../chain.ts'
import { type Kind, keyOf, kinds } from '../keys.ts'
import { admitted, type Question, type Questions, refused } from '../vector.ts'

const onCurves: readonly Kind[] = ['p256', 'p384', 'secp256k1']
const stranger = keyOf('stranger', 'p256')
const flip = (at: number) => (bytes: Buffer) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
const spoiled = (spoil: (signature: Buffer) => Uint8Array, kind: Kind = 'p256'): Question => ({
  kind,
  spoil: (signature) => Buffer.from(spoil(signature)),
})
const parts = (change: (header: string, payload: string, signature: string) => string[]): Question => ({
  rewrite: (jws) => change(...(jws.split('.') as [string, string, string])).join('.'),
})

function forEach(
  some: readonly Kind[],
  slug: string,
  title: string,
  make: (kind: Kind) => Question,
): Questions {
  return Object.fromEntries(
    some.map((kind) => [`${slug}-${kind}`, [title.replace('%s', ALGORITHMS[kind]), make(kind)] as const]),
  )
}

/** A shared secret that everybody has: the public key. */
function hmacOverPublicKey(): string {
  const input = `${base64url('{"alg":"HS256"}')}.${base64url(JSON.stringify(PAYLOAD))}`
  return `${input}.${createHmac('sha256', chainOf('p256').key.spki).update(input).digest('base64url')}`
}

/** Whether the signature holds. */
export const signatureVectors: readonly Vector[] = [
  ...admitted('jws', 'VRFY-14', {
    ...forEach(kinds, 'signed-with', 'A bundle signed with %s is admitted', (kind) => ({ kind, s: 'low' })),
    ...forEach(onCurves, 'high-s', 'A signature of %s with a high S is accepted', (kind) => ({
      kind,
      s: 'high',
    })),
    'other-header-members': [
      'Members of the header that demand nothing are let be',
      {
        header: { typ: 'JOSE', kid: 'signer-1', cty: 'json' },
      },
    ],
    'header-with-white-space': ['A header may hold white space', { headerText: '{ "alg" : "ES256" }\n' }],
    'foreign-key-in-the-header': [
      'A key that the header brings along is not looked at',
      {
        header: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } },
      },
    ],
  }),
  ...refused('jws', 'signature_invalid', 'VRFY-14', {
    ...forEach(
      kinds,
      'signed-by-a-stranger',
      'A signature of %s by another key than the leaf’s is refused',
      (kind) => ({
        kind,
        signer: keyOf('stranger', kind),
      }),
    ),
    ...forEach(kinds, 'signature-bit-flipped', 'A signature of %s with one bit flipped is refused', (kind) =>
      spoiled(flip(10), kind),
    ),
    ...forEach(onCurves, 'signature-of-zeros', 'A signature of %s of zeros is refused', (kind) =>
      spoiled((made) => Buffer.alloc(made.length), kind),
    ),
    ...forEach(
      onCurves,
      'signature-cut-short',
      'A signature of %s without its last byte is refused',
      (kind) => spoiled((made) => made.subarray(0, -1), kind),
    ),
    ...forEach(
      onCurves,
      'signature-with-more',
      'A signature of %s with something behind it is refused',
      (kind) => spoiled((made) => Buffer.concat([made, Buffer.of(0, 0)]), kind),
    ),
    'signature-in-der': ['A signature in the form of X.509 instead of JOSE’s is refused', spoiled(toDer)],
    'signature-in-der-secp256k1': [
      'A signature of ES256K in the form of X.509 is refused',
      spoiled(toDer, 'secp256k1'),
    ],
    'no-signature': ['An empty signature is refused', spoiled(() => Buffer.alloc(0))],
    'payload-exchanged': [
      'A payload that was put under another’s signature is refused',
      parts((header, payload, signature) => [
        header,
        base64url(Buffer.from(payload, 'base64url').toString().replace('"version":1', '"version": 1')),
        signature,
      ]),
    ],
    'header-exchanged': [
      'A header that was changed after it was signed is refused',
      parts((_, payload, signature) => [base64url('{"alg":"ES256","typ":"JOSE"}'), payload, signature]),
    ],
    'signed-with-a-key-brought-along': [
      'A key in the header cannot vouch for its own signature',
      {
        signer: stranger,
        header: { jwk: jwkOf() },
      },
    ],
    'signed-by-the-intermediate': [
      'The key of the intermediate signs no bundle',
      { signer: keyOf('intermediate', 'p256') },
    ],
    'signed-by-the-root': ['The key of the root signs no bundle', { signer: keyOf('root', 'p256') }],
    'signed-by-the-connection': [
      'The key of the connection signs no bundle',
      { signer: keyOf('tls', 'p256') },
    ],
    'signature-of-another-bundle': [
      'The signature of another bundle is refused',
      {
        rewrite: (jws) =>
          [
            ...jws.split('.').slice(0, 2),
            jwsOf({ payload: { hostname: 'other.example' } }).split('.')[2],
          ].join('.'),
      },
    ],
  }),
  ...refused('jws', 'algorithm_not_allowed', 'VRFY-14', {
    'alg-none': [
      'No algorithm and no signature is refused',
      { header: { alg: 'none' }, spoil: () => Buffer.alloc(0) },
    ],
    'alg-none-in-capitals': [
      'No algorithm is refused in any spelling',
      { header: { alg: 'NONE' }, spoil: () => Buffer.alloc(0) },
    ],
    'alg-none-but-signed': [
      'No algorithm is refused though a good signature follows',
      { header: { alg: 'none' } },
    ],
    'alg-hs256-over-the-public-key': [
      'A shared secret is refused, the public key as one above all',
      { rewrite: hmacOverPublicKey },
    ],
    'alg-in-small-letters': ['An algorithm in small letters is another one', { header: { alg: 'es256' } }],
    'alg-ps256': ['PS256 is not among the accepted algorithms', { kind: 'rsa', header: { alg: 'PS256' } }],
    'alg-rs512': ['RS512 is not among the accepted algorithms', { kind: 'rsa', header: { alg: 'RS512' } }],
    'alg-es512': ['ES512 is not among the accepted algorithms', { header: { alg: 'ES512' } }],
    'alg-empty': ['An algorithm without a name is refused', { header: { alg: '' } }],
    'alg-member-of-every-object': [
      'An algorithm named like a member of every object is refused',
      { header: { alg: 'constructor' } },
    ],
  }),
  ...refused('jws', 'key_algorithm_mismatch', 'VRFY-14', {
    'es384-over-p256': ['ES384 over a key of P-256 is refused', { header: { alg: 'ES384' } }],
    'es256-over-p384': ['ES256 over a key of P-384 is refused', { kind: 'p384', header: { alg: 'ES256' } }],
    'es256k-over-p256': ['ES256K over a key of P-256 is refused', { header: { alg: 'ES256K' } }],
    'es256-over-secp256k1': [
      'ES256 over a key of secp256k1 is refused',
      { kind: 'secp256k1', header: { alg: 'ES256' } },
    ],
    'rs256-over-p256': ['RS256 over a key on a curve is refused', { header: { alg: 'RS256' } }],
    'es256-over-rsa': ['ES256 over a key of RSA is refused', { kind: 'rsa', header: { alg: 'ES256' } }],
    'eddsa-over-p256': ['EdDSA over a key of P-256 is refused', { header: { alg: 'EdDSA' } }],
    'rs256-over-ed25519': [
      'RS256 over a key of Ed25519 is refused',
      { kind: 'ed25519', header: { alg: 'RS256' } },
    ],
  }),
  ...refused('jws', 'critical_header', 'VRFY-14', {
    'crit-b64': ['A header that demands b64 is refused', { header: { crit: ['b64'], b64: true } }],
    'crit-unknown': [
      'A header that demands what nobody knows is refused',
      { header: { crit: ['exp'], exp: 1 } },
    ],
    'crit-empty': ['An empty demand is a demand', { header: { crit: [] } }],
    'crit-null': ['A demand that is null is a demand', { header: { crit: null } }],
  }),
]

/** The two numbers of a compact signature as X.509 writes them. */
function toDer(compact: Buffer): Buffer {
  const half = compact.length / 2
  const integers = [compact.subarray(0, half), compact.subarray(half)].map((bytes) => {
    const start = bytes.findIndex((byte) => byte !== 0)
    const trimmed = bytes.subarray(start)
    const body = trimmed[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed
    return Buffer.concat([Buffer.of(0x02, body.length), body])
  })
  const body = Buffer.concat(integers)
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

/** The stranger's public key, as a header brings it along. */
function jwkOf(): Record<string, string> {
  const point = stranger.spki.subarray(-64)
  return { kty: 'EC', crv: 'P-256', x: base64url(point.subarray(0, 32)), y: base64url(point.subarray(32)) }
}
