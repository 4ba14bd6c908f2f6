import type { Json } from '#attestation'
import { quote } from '#base/foreign-text.ts'
import type { Path } from './edits.ts'
import { itemInWords } from './names.ts'

/** Where a value stands, for people: `spec.containers[0 "router"].image`; a name of a member is cut when it is long. */
export function placeInWords(path: Path, around: Json): string {
  let place = ''
  let value: Json | undefined = around
  for (const part of path) {
    value = partOf(value, part)
    if (typeof part === 'number') {
      const name = itemInWords(value)
      place += `[${part}${name === undefined ? '' : ` ${name}`}]`
    } else if (/^[A-Za-z_][\w-]{0,63}$/.test(part)) {
      place += place === '' ? part : `.${part}`
    } else {
      place += `[${quote(part)}]`
    }
  }
  return place === '' ? 'whole' : place
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(path: Path, around: Json): Json | undefined {
  return path.reduce<Json | undefined>(partOf, around)
}

function partOf(value: Json | undefined, part: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Object.hasOwn(value, part)) return undefined
  return (value as Readonly<Record<string | number, Json | undefined>>)[part]
}
