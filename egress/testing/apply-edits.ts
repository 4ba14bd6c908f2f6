import type { Json } from '#attestation'
import type { Edit } from '../deployment/edits.ts'

type Members = Record<string | number, unknown>

/** Takes the steps one after the other, knowing nothing of how they came about. */
export function applyEdits(before: Json, edits: readonly Edit[]): unknown {
  const root: Members = { value: copy(before) }
  for (const edit of edits) {
    const path = ['value', ...edit.path]
    const parent = path.slice(0, -1).reduce<unknown>((value, part) => (value as Members)[part], root)
    take(parent, path.at(-1)!, edit)
  }
  return root.value
}

function take(parent: unknown, last: string | number, edit: Edit): void {
  const members = parent as Members
  const items = parent as unknown[]
  const place = Number(last)
  if (edit.op === 'set') members[last] = copy(edit.after)
  else if (edit.op === 'remove') delete members[last]
  else if (edit.op === 'insert') items.splice(place, 0, copy(edit.after))
  else if (edit.op === 'delete') items.splice(place, 1)
  else items.splice(edit.to, 0, ...items.splice(place, 1))
}

/** A copy in which no name is special. */
function copy(value: Json): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  const made: Members = Object.create(null)
  for (const [name, part] of Object.entries(value)) made[name] = copy(part as Json)
  return made
}
