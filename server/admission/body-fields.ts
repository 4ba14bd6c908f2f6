import { isUtf8 } from 'node:buffer'
import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import { type Flaw, ObjectCheck } from '../json/check.ts'
import { foldName } from '../json/fold.ts'
import {
  findMember,
  type Member,
  membersOf,
  nameIn,
  type ObjectSpan,
  type ScannedObject,
} from '../json/members.ts'
import { outlineOf } from '../json/outline.ts'
import { byte } from '../json/scan.ts'

/** A member with its name as the most forgiving parser could read it, see `foldName`. */
export interface FoldedMember extends Member {
  readonly folded: string | undefined
}

/** An object each of whose names has been folded, once for all who compare them. */
export interface FoldedSpan extends ObjectSpan {
  readonly members: readonly FoldedMember[]
}

/** A request body that is one JSON object; nothing of it has been parsed but the names at its top. */
export interface RequestBody extends ScannedObject {
  readonly span: FoldedSpan
}

/** Looks at a body while it arrives. */
export function createBodyCheck(): ObjectCheck {
  return new ObjectCheck({ maxValues: limits.maxBodyValues, maxMembers: limits.maxBodyMembers })
}

/** What is wrong with a body: 400 `invalid_json`, or 413 `request_too_large` for more than anybody means. */
export function flawError(flaw: Flaw): ApiError {
  switch (flaw) {
    case 'malformed':
      // A parser's own message would quote the body, which may be a prompt.
      return new ApiError('invalid_json', 'The request body is not valid JSON.')
    case 'not_an_object':
      return new ApiError('invalid_json', 'The request body must be a JSON object.')
    case 'too_many_values':
      return new ApiError(
        'request_too_large',
        `The request body has more than ${limits.maxBodyValues} JSON values; send fewer at a time.`,
      )
    case 'too_many_members':
      return new ApiError(
        'request_too_large',
        `The request body has more than ${limits.maxBodyMembers} members at its top.`,
      )
  }
}

/**
 * Reads a body, which is to be one JSON object, as far as the names at its top; `check` has seen all of its bytes, or
 * sees them now. Throws `flawError`.
 */
export function parseBodyFields(bytes: Buffer, check?: ObjectCheck): RequestBody {
  const checked = check ?? createBodyCheck()
  if (check === undefined) checked.push(bytes)
  const flaw = checked.finish()
  if (flaw !== undefined) throw flawError(flaw)
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The request body is not valid UTF-8.')
  const members = checked.members.map(({ start, nameEnd, valueStart, end }) =>
    fold({ name: nameIn(bytes, start, nameEnd), start, valueStart, end }),
  )
  return { bytes, span: { start: checked.start, end: checked.end, members } }
}

/** The value of a top-level member as far as a schema judges it, see `outlineOf`; undefined when there is none. */
export function outlineAt({ bytes, span }: ScannedObject, name: string): unknown {
  const member = findMember(span, name)
  return member && outlineOf(bytes, member.valueStart, member.end)
}

/** The members that the router reads or writes inside a top-level one, see `outlineAt`. */
export function membersAt({ bytes, span }: ScannedObject, name: string): FoldedSpan | undefined {
  const member = findMember(span, name)
  if (member === undefined || bytes[member.valueStart] !== byte.openBrace) return undefined
  const { members, ...place } = membersOf(bytes, member.valueStart, limits.maxBodyMembers)
  return { ...place, members: members.map(fold) }
}

function fold({ name, start, valueStart, end }: Member): FoldedMember {
  return { name, start, valueStart, end, folded: foldName(name) }
}

/**
 * Throws 400 `unsupported_parameter` for a member that stands twice, or that another parser could take for one of
 * `honoured`: by case, by Unicode's folding or normal forms, by what is around it or invisible in it. The last of two
 * would be what such a backend serves, and the first what was judged (REQ-26). With `only`, looks at those names
 * alone. `within` is what the object is called.
 */
export function refuseAmbiguity(
  { members }: FoldedSpan,
  honoured: readonly string[],
  { only, within }: { readonly only?: readonly string[]; readonly within?: string } = {},
): void {
  const place = within === undefined ? 'the request body' : within
  const seen = new Set<string>()
  for (const { name, folded } of members) {
    const meant = folded !== undefined && honoured.includes(folded) ? folded : undefined
    if (only && !(meant !== undefined && only.includes(meant))) continue
    if (seen.has(name)) throw ambiguous(name, `stands twice in ${place}; send it once.`, within)
    seen.add(name)
    if (meant !== undefined && meant !== name) {
      throw ambiguous(name, `can be taken for ${meant} by other parsers; send ${meant}.`, within)
    }
  }
}

function ambiguous(name: string, message: string, within: string | undefined): ApiError {
  const param = within === undefined ? shown(name) : `${within}.${shown(name)}`
  return new ApiError('unsupported_parameter', `${param} ${message}`, { param })
}

const SHOWN_NAME_LENGTH = 64

/** Cut between characters: half of one cannot be sent. */
function shown(name: string): string {
  return name.slice(0, SHOWN_NAME_LENGTH).toWellFormed()
}
