import { AttestationError, inspectBundle, type Json, toHex } from '#attestation'
import { quote } from '#base/foreign-text.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { SnapshotDiffOutput } from '#contract/models'
import { type Change, changesBetween } from '#egress/deployment/changes.ts'
import { differencesOfSpelling, type Spelling } from '#egress/deployment/spelling.ts'
import { changesInWords } from '#egress/deployment/words.ts'
import { printRefusal } from './refused.ts'
import { readNamed, verifyByItself } from './snapshot-source.ts'

/** What `proxy pin diff` takes. */
export interface PinDiffOptions extends OutputOptions {
  readonly config: string
}

/** A snapshot whose digest is right; whether anybody may be trusted about it is another question. */
interface Compared {
  readonly subject: string
  readonly hostname: string
  readonly digestHex: string
  readonly issuedAt: Date
  readonly evidence: Json
  /** As it is spelled. */
  readonly text: string
}

/** `proxy pin diff A B`: every step from one snapshot to another, each an https URL, a bundle file or a kept digest. */
export async function pinDiff(before: string, after: string, options: PinDiffOptions): Promise<number> {
  let subject = before
  try {
    const one = await read(before, options)
    subject = after
    const other = await read(after, options)
    const changes = changesBetween(one.evidence, other.evidence)
    print(options, documentOf(one, other, changes), inWords(one, other, changes))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return printRefusal(options, subject, `${subject} holds no snapshot to compare:`, thrown)
  }
}

async function read(subject: string, { config }: PinDiffOptions): Promise<Compared> {
  const { bytes } = await readNamed(subject, { config })
  const { hostname, digest, issuedAt, evidence } = await verifyByItself(bytes)
  const text = inspectBundle(bytes).payload.evidenceText
  return { subject, hostname, digestHex: toHex(digest), issuedAt, evidence, text }
}

function documentOf(one: Compared, other: Compared, changes: readonly Change[]): SnapshotDiffOutput {
  const about = ({ subject, digestHex, hostname, issuedAt }: Compared) => ({
    subject,
    evidence_digest_hex: digestHex,
    hostname,
    issued_at: issuedAt.toISOString(),
  })
  const equal = one.digestHex === other.digestHex
  return {
    before: about(one),
    after: about(other),
    equal,
    same_values: !equal && changes.length === 0,
    changes: changes.map(({ document }) => document),
  }
}

function inWords(one: Compared, other: Compared, changes: readonly Change[]): string[] {
  const heading = [
    `  ${one.digestHex}  ${one.subject}`,
    `  ${other.digestHex}  ${other.subject}`,
    ...(one.hostname === other.hostname
      ? []
      : [`  The first is for ${quote(one.hostname)}, the second for ${quote(other.hostname)}.`]),
    '',
  ]
  if (one.digestHex === other.digestHex) return [...heading, 'Both are the same deployment.']
  if (changes.length === 0) return [...heading, sameValuesInWords(one, other)]
  return [
    ...heading,
    ...changesInWords(changes),
    '',
    'Read what has changed before you approve of it. Who signed it was not looked at; `proxy pin add` does.',
  ]
}

const spellings: readonly (readonly [Spelling, string])[] = [
  ['order', 'the order of members'],
  ['escapes', 'escapes in texts'],
  ['numbers', 'the spelling of numbers'],
]

/** A digest is of the canonical JSON of a snapshot, or of its own text without white space (BNDL-22, BNDL-23). */
function sameValuesInWords(one: Compared, other: Compared): string {
  const found = differencesOfSpelling(one.text, other.text)
  const words = spellings.flatMap(([name, word]) => (found.has(name) ? [word] : []))
  const what =
    words.length === 0
      ? 'they are spelled alike, and one digest is of that spelling, the other of the canonical one.'
      : `what differs is ${new Intl.ListFormat('en-GB').format(words)}.`
  return `Both hold the same values, and are signed under two digests all the same: ${what}`
}
