import { findMember, type Member, type ObjectSpan } from './members.ts'
import { spell } from './spell.ts'

/** Replaces the bytes from `start` to `end` with `text`; an insertion has both equal. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: Buffer | string
}

/** What becomes of an object's members: JSON text sets one, `undefined` removes it. */
export type Changes = Readonly<Record<string, Buffer | string | undefined>>

/**
 * The edits that set and remove members of one object, in order and without overlap.
 * A name that stands twice is set, or removed, at every place; one that is absent is appended.
 */
export function editsOf(object: ObjectSpan, changes: Changes): Edit[] {
  const { members } = object
  const edits: Edit[] = []
  const lastKept = members.findLast((member) => !isRemoved(member, changes))
  for (let index = 0; index < members.length; index++) {
    const { name, start, valueStart, end } = members[index]!
    if (lastKept !== undefined && start > lastKept.start) break
    if (!Object.hasOwn(changes, name)) continue
    const text = changes[name]
    if (text !== undefined) edits.push({ start: valueStart, end, text })
    else if (lastKept !== undefined) edits.push({ start, end: members[index + 1]!.start, text: '' })
  }
  addTail(edits, object, lastKept, changes)
  return edits
}

/** The bytes with the edits made; all others are copied as they are. */
export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const edited = Buffer.allocUnsafe(positionAfter(edits, bytes.length))
  let [from, to] = [0, 0]
  for (const { start, end, text } of edits) {
    to = putBytes(edited, to, bytes, from, start)
    to = typeof text === 'string' ? putText(edited, to, text) : putBytes(edited, to, text, 0, text.length)
    from = end
  }
  putBytes(edited, to, bytes, from, bytes.length)
  return edited
}

/** So many are put, or looked at, one by one (ours): to ask Node for it takes as long. */
const FEW = 24

/** Returns where the next one goes, as `putText` does. */
function putBytes(into: Buffer, to: number, bytes: Buffer, from: number, end: number): number {
  if (end - from > FEW) return to + bytes.copy(into, to, from, end)
  let at = to
  for (let next = from; next < end; next++) into[at++] = bytes[next]!
  return at
}

function putText(into: Buffer, to: number, text: string): number {
  if (!isShortAscii(text)) return to + into.write(text, to)
  for (let at = 0; at < text.length; at++) into[to + at] = text.charCodeAt(at)
  return to + text.length
}

const FIRST_OF_TWO_BYTES = 0x80

function isShortAscii(text: string): boolean {
  if (text.length > FEW) return false
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= FIRST_OF_TWO_BYTES) return false
  return true
}

/** Where a byte that no edit touches stands after the edits. */
export function positionAfter(edits: readonly Edit[], position: number): number {
  let moved = position
  for (const { start, end, text } of edits) {
    if (start > position) break
    moved += sizeOf(text) - (end - start)
  }
  return moved
}

function sizeOf(text: Buffer | string): number {
  return typeof text !== 'string' || isShortAscii(text) ? text.length : Buffer.byteLength(text)
}

/** Sets and removes members of the object in `bytes` without re-serialising anything else. */
export function splice(bytes: Buffer, object: ObjectSpan, changes: Changes): Buffer {
  return applyEdits(bytes, editsOf(object, changes))
}

function isRemoved({ name }: Member, changes: Changes): boolean {
  return Object.hasOwn(changes, name) && changes[name] === undefined
}

/**
 * Removed members behind the last kept one go together with the comma before them. Then come those to append, each with a
 * comma in front: what is text stays text until it is written among the rest.
 */
function addTail(edits: Edit[], object: ObjectSpan, lastKept: Member | undefined, changes: Changes): void {
  const { members } = object
  const start = lastKept?.end ?? members[0]?.start ?? object.start + 1
  const end = members.at(-1)?.end ?? start
  if (start < end) edits.push({ start, end, text: '' })
  let text = ''
  let comma = lastKept === undefined ? '' : ','
  for (const name of Object.keys(changes)) {
    const value = changes[name]
    if (value === undefined || findMember(object, name) !== undefined) continue
    text += `${comma}${spell(name)}:`
    comma = ','
    if (typeof value === 'string') text += value
    else {
      edits.push({ start: end, end, text }, { start: end, end, text: value })
      text = ''
    }
  }
  if (text !== '') edits.push({ start: end, end, text })
}
