import { createPrivateKey } from 'node:crypto'
import type { VectorExpectation } from '#contract/models'
import { bundleOf, digest, PAYLOAD } from '../generator/bundle.ts'
import { issue, pem } from '../generator/certificate.ts'
import { type Chain, type ChainChanges, chainOf, HOSTNAME } from '../generator/chain.ts'
import { subjectNames } from '../generator/extensions.ts'
import { keyOf, type TestKey } from '../generator/keys.ts'
import type { Question } from '../generator/vector.ts'

/** A certificate that a connection can show, with its key. */
export interface ShownLeaf {
  /** Both in PEM. */
  readonly certificate: string
  readonly key: string
  /** In wire form. */
  readonly fingerprint: string
}

/** What vectors are made of when they take place at some moment. */
export interface Moment {
  readonly now: string
  /** How far from now lies what is over, or has not begun. */
  readonly marginMs: number
  /** A time so long after now, or before it. */
  at(milliseconds: number): string
  readonly chain: Chain
  chainWith(changes: ChainChanges): Chain
  readonly validity: { readonly notBefore: string; readonly notAfter: string }
  /** What the usual bundle names as its connection's, and another one for the same hostname. */
  readonly leaf: ShownLeaf
  readonly otherLeaf: ShownLeaf
  /** What the usual bundle signs. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The usual bundle, but for what is changed, and what it is judged against. */
  ask(changes?: Question): Question
  /** The usual bundle as it is published. */
  readonly text: string
}

const DAY_MS = 86_400_000
/** As the corpus has it: how long certificates have been valid and will be, and when the bundle was signed. */
const VALID_BEFORE_MS = 151.5 * DAY_MS
const VALID_AFTER_MS = 213.5 * DAY_MS
const SIGNED_BEFORE_MS = 89_750

/** Vectors as they are at a moment, told in UTC and whole seconds. */
export function momentOf(now: string, marginMs: number): Moment {
  const at = (milliseconds: number) =>
    new Date(Date.parse(now) + milliseconds).toISOString().replace('.000Z', 'Z')
  const validity = { notBefore: at(-VALID_BEFORE_MS), notAfter: at(VALID_AFTER_MS) }
  const chainWith = ({ leaf, intermediate, root }: ChainChanges) =>
    chainOf('p256', {
      leaf: { ...validity, ...leaf },
      intermediate: { ...validity, ...intermediate },
      root: { ...validity, ...root },
    })
  const chain = chainWith({})
  const [leaf, otherLeaf] = [
    shownLeaf(keyOf('tls', 'p256'), validity),
    shownLeaf(keyOf('second', 'p256'), validity),
  ]
  const [issuedAt, certFingerprint] = [at(-SIGNED_BEFORE_MS), leaf.fingerprint]
  const judged: Partial<VectorExpectation> = { now, observed_leaf: certFingerprint }
  const ask = (changes: Question = {}): Question => ({
    chain,
    ...changes,
    payload: { issuedAt, certFingerprint, ...changes.payload },
    envelope: { issuedAt, certFingerprint, tlsLeaf: leaf.certificate, ...changes.envelope },
    expect: { ...judged, ...changes.expect },
  })
  return {
    now,
    marginMs,
    at,
    chain,
    chainWith,
    validity,
    leaf,
    otherLeaf,
    payload: { ...PAYLOAD, issuedAt, certFingerprint },
    ask,
    text: bundleOf(ask()),
  }
}

function shownLeaf(key: TestKey, validity: Moment['validity']): ShownLeaf {
  const extensions = [subjectNames(['dns', HOSTNAME])]
  const der = issue({ ...validity, subject: HOSTNAME, issuer: HOSTNAME, key, signer: key, extensions })
  return { certificate: pem(der), key: toPem(key), fingerprint: digest(der) }
}

/** A key on P-256 as servers read it. */
function toPem({ secret, spki }: TestKey): string {
  const [x, y] = [spki.subarray(-64, -32), spki.subarray(-32)]
  const inText = {
    d: Buffer.from(secret as Uint8Array).toString('base64url'),
    x: x.toString('base64url'),
    y: y.toString('base64url'),
  }
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', ...inText }, format: 'jwk' })
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
