import { broken, byte, skipSpace, skipString, skipValue } from './scan.ts'

/** One member of a JSON object, as offsets into the bytes that hold it. */
export interface Member {
  /** The name with its escapes resolved, as `JSON.parse` would read it. */
  readonly name: string
  /** Where the name's opening quote stands. */
  readonly start: number
  readonly valueStart: number
  /** One past the value's last byte. */
  readonly end: number
}

/** The top-level members of one JSON object in their original order; a name that stands twice appears twice. */
export interface ObjectSpan {
  /** Where the opening brace stands. */
  readonly start: number
  /** One past the closing brace. */
  readonly end: number
  readonly members: readonly Member[]
}

/** The bytes of a JSON object, and where its members stand in them. */
export interface ScannedObject {
  readonly bytes: Buffer
  readonly span: ObjectSpan
}

/**
 * Finds the members of the object that begins at `from`, in one pass and without building any value.
 * The bytes are expected to be well-formed; where the object's own structure is broken it throws, and so it does for
 * more than `most` members.
 */
export function membersOf(bytes: Buffer, from = 0, most = Number.POSITIVE_INFINITY): ObjectSpan {
  const start = skipSpace(bytes, from)
  expect(bytes, start, byte.openBrace)
  const members: Member[] = []
  let at = skipSpace(bytes, start + 1)
  if (bytes[at] === byte.closeBrace) return { start, end: at + 1, members }
  for (;;) {
    const member = memberAt(bytes, at)
    if (members.push(member) > most) throw new RangeError(`The object has more than ${most} members.`)
    at = skipSpace(bytes, member.end)
    if (bytes[at] === byte.closeBrace) return { start, end: at + 1, members }
    expect(bytes, at, byte.comma)
    at = skipSpace(bytes, at + 1)
  }
}

/** The last member of that name, which is the one that `JSON.parse` keeps. */
export function findMember(object: ObjectSpan, name: string): Member | undefined {
  const { members } = object
  for (let place = members.length - 1; place >= 0; place--) {
    if (members[place]!.name === name) return members[place]
  }
  return undefined
}

/** Where the first element of the array at `from` begins; undefined for an empty array or anything else. */
export function firstElementOf(bytes: Buffer, from: number): number | undefined {
  if (bytes[from] !== byte.openBracket) return undefined
  const at = skipSpace(bytes, from + 1)
  return bytes[at] === byte.closeBracket ? undefined : at
}

function memberAt(bytes: Buffer, start: number): Member {
  expect(bytes, start, byte.quote)
  const nameEnd = skipString(bytes, start)
  const colon = skipSpace(bytes, nameEnd)
  expect(bytes, colon, byte.colon)
  const valueStart = skipSpace(bytes, colon + 1)
  return { name: nameIn(bytes, start, nameEnd), start, valueStart, end: skipValue(bytes, valueStart) }
}

/** The name between these quotes with its escapes resolved. */
export function nameIn(bytes: Buffer, start: number, end: number): string {
  const known = usualName(bytes, start + 1, end - 1)
  if (known !== undefined) return known
  const text = bytes.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

/** Names that nearly every body or answer has (ours): told by their bytes, without a text that is made for each. */
const usual = `model messages stream stream_options include_usage max_tokens temperature top_p prompt input
  id object created choices usage system_fingerprint service_tier index delta message role content finish_reason logprobs data
  prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details`

const usualByLength: { readonly name: string; readonly spelled: Buffer }[][] = []
for (const name of usual.split(/\s+/)) {
  usualByLength[name.length] ??= []
  usualByLength[name.length]!.push({ name, spelled: Buffer.from(name) })
}

const NONE: never[] = []

function usualName(bytes: Buffer, from: number, to: number): string | undefined {
  for (const { name, spelled } of usualByLength[to - from] ?? NONE) {
    let at = 0
    while (at < spelled.length && bytes[from + at] === spelled[at]) at++
    if (at === spelled.length) return name
  }
  return undefined
}

function expect(bytes: Buffer, at: number, wanted: number): void {
  if (bytes[at] !== wanted) throw broken(at)
}
