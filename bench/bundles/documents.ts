import { envelopeOf, PAYLOAD } from '../../conformance/vectors/generator/bundle.ts'
import { between, caseOf, choose, fill, type Genes, MEBIBYTE, type Shape } from './case.ts'

/** What strings and names are filled with: nothing special, escapes, numbers, letters of several bytes. */
const FILLS = ['a', '\\n', '\\u0041', '\\ud83d\\ude00', 'é', '😀', '€', '9', '\\"', ' '] as const

/** What members with a meaning are filled with: all that one of their readers may take for the end of a piece. */
const MEMBER_FILLS = [
  '.',
  'Aa',
  'a',
  '9',
  ' ',
  'T',
  '-',
  '-----BEGIN CERTIFICATE-----',
  'e30.',
  '\n',
] as const
/** Room for what a bundle has beside what is put in, in bytes. */
const REST = 8_192

/** Where a signed text stands in a bundle it takes four bytes for three. */
const SIGNED_SHARE = 3 / 4

/** Text of JSON by genes: which kind, how many parts, how they are filled, and how much white space. */
function jsonOf([kind, parts, filler, width, space]: Genes, characters: number, maxParts: number): string {
  const count = between(parts, 1, maxParts - 32)
  const each = between(width, 0, Math.max(0, Math.floor(characters / count) - 16))
  const text = fill(choose(filler, FILLS), each)
  const gap = choose(space, ['', '', ' ', '\n\t '])
  const list = (items: number, item: (index: number) => string) =>
    Array.from({ length: Math.max(1, items) }, (_, index) => item(index)).join(`,${gap}`)
  const made = choose(kind, [
    () => `[${list(count, () => `"${text}"`)}]`,
    () => `{${list(count / 2, (index) => `"${text}${index.toString(36)}":${gap}0`)}}`,
    () => `{${list(count / 2, (index) => `"${index * 7919}":0`)}}`,
    () => `[${list(count / 3, (index) => `{"${text}${index.toString(36)}":0}`)}]`,
    () => `[${list(count, () => `0.${fill('7', each)}e-7`)}]`,
    () => `{${list(count / 2, (index) => `"\\u0061${text}${scattered(index)}":0`)}}`,
    () => `{${list(count / 2, (index) => `"${scattered(index)}${text}":0`)}}`,
    // One letter beyond Latin-1: all texts that are cut from the document take two bytes for each unit.
    () => `{"€":0,${list(count / 2, (index) => `"\\u20ac${text}${scattered(index)}":0`)}}`,
    () => `{"€":0,${list(count / 2, (index) => `"${text}${scattered(index)}":0`)}}`,
    () => `[${list(count, (index) => `"${scattered(index)}\\n\\u00e9"`)}]`,
    () => `[${list(count, (index) => `${fill(' ', each)}0.${scattered(index)}7e-${index % 300}`)}]`,
    () => `[${list(count, (index) => `0.${scattered(index)}${fill('7', each)}e-${index % 300}`)}]`,
    () => `[${list(count, () => '{}')}]`,
    () => `[${list(count / 100, () => '['.repeat(99) + ']'.repeat(99))}]`,
    () => `[${list(count / 200, () => `${'{"a":'.repeat(99)}0${'}'.repeat(99)}`)}]`,
    () => `"${fill(choose(filler, FILLS), characters / 6)}"`,
    () => `[${fill(' ', characters - 8)}0]`,
    () => `"${fill('A\\n', characters)}"`,
    () => fill('9', characters),
  ])()
  return Buffer.byteLength(made) > characters ? '0' : made
}

/** Digits in no order, the same for the same index. */
function scattered(index: number): string {
  return String(Math.imul(index + 1, 0x9e3779b1) >>> 0)
}

const withMember = (document: object, json: string) =>
  JSON.stringify(document).replace('{', `{"more":${json},`)

/** JSON beside the signature, which anybody can write. */
const envelopes: Shape = {
  name: 'JSON in the envelope',
  genes: 5,
  make: (genes) => caseOf({}, Buffer.from(withMember(envelopeOf(), jsonOf(genes, MEBIBYTE - REST, 980)))),
}

/** JSON that is signed, and so is digested as well. */
const snapshots: Shape = {
  name: 'JSON in the snapshot',
  genes: 5,
  make(genes) {
    const json = jsonOf(genes, (MEBIBYTE - REST) * SIGNED_SHARE - REST, 16_384)
    // Nothing but an object is a snapshot; what is refused for that is never written anew and digested.
    const evidence = json.startsWith('{') ? json : `{"a":${json}}`
    const text = JSON.stringify({ ...PAYLOAD, evidence: 0 }).replace(
      '"evidence":0',
      () => `"evidence":${evidence}`,
    )
    return caseOf({ payloadText: text })
  },
}

/** What is no JSON of the usual kind in the members that have a meaning. */
const members: Shape = {
  name: 'members of the envelope',
  genes: 3,
  make([member, filler, width]) {
    const name = choose(member, ['hostname', 'issuedAt', 'certFingerprint', 'tlsLeaf', 'jws', 'kind'])
    const begun = { issuedAt: '2026-06-01T11:58:30.', certFingerprint: 'sha256/' }[name as string] ?? ''
    const text = choose(filler, MEMBER_FILLS)
    const written = JSON.stringify(text).length - 2
    const room = Math.floor(((MEBIBYTE - REST) * text.length) / written)
    return caseOf({ envelope: { [name]: begun + fill(text, between(width, 0, room)) } })
  },
}

/** The header of the signature. */
const headers: Shape = {
  name: 'header of the signature',
  genes: 5,
  make: (genes) => {
    const json = jsonOf(genes, ((MEBIBYTE - REST) * SIGNED_SHARE) / 2, 980)
    return caseOf({ headerText: `{"alg":"ES256","more":${json}}` })
  },
}

export const documents: readonly Shape[] = [envelopes, snapshots, members, headers]
