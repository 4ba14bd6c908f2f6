import { membersOf, type ObjectSpan } from './members.ts'
import { applyEdits } from './splice.ts'

/** The bytes of an object, each of whose names stands once. */
export interface UniqueObject {
  readonly bytes: Buffer
  readonly object: ObjectSpan
}

/** Takes out what `JSON.parse` does not keep: of a name that stands twice all members but the last. */
export function uniqueMembers(bytes: Buffer): UniqueObject {
  const object = membersOf(bytes)
  if (!hasRepeated(object)) return { bytes, object }
  const last = new Map(object.members.map((member) => [member.name, member]))
  const edits = object.members.flatMap((member, index) =>
    last.get(member.name) === member
      ? []
      : [{ start: member.start, end: object.members[index + 1]!.start, text: '' }],
  )
  const unique = applyEdits(bytes, edits)
  return { bytes: unique, object: membersOf(unique) }
}

/** Up to so many are compared with each other, without a set of them (ours). */
const FEW = 16

function hasRepeated({ members }: ObjectSpan): boolean {
  if (members.length > FEW) return new Set(members.map(({ name }) => name)).size < members.length
  for (let index = 1; index < members.length; index++) {
    for (let before = 0; before < index; before++)
      if (members[before]!.name === members[index]!.name) return true
  }
  return false
}
