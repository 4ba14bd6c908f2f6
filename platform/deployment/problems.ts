import { isObject } from '#base/object.ts'
import type { ConfigProblem } from '../../config/error.ts'
import { containersOf, isNamedByDigest } from './images.ts'
import { secretProblems } from './secrets.ts'

/** What keeps a value from standing in the snapshot; each problem's path begins with `path`. */
export function problemsOf(value: unknown, path: string): ConfigProblem[] {
  if (!isObject(value)) return [{ path, message: 'is not a resource: an object was expected' }]
  const images = containersOf(value).flatMap(({ image }) =>
    isNamedByDigest(image) ? [] : [{ path, message: `names the image ${String(image)} without its digest` }],
  )
  return [...secretProblems(value, path), ...images, ...unpublishable(value, path)]
}

/** Values that no two programs are sure to read alike (RFC 8785, 3.2.2): verifiers refuse them. */
function unpublishable(value: unknown, path: string): ConfigProblem[] {
  if (typeof value === 'number' && !isExact(value)) {
    return [{ path, message: 'is a number that does not survive JSON; write it as a string' }]
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    return [{ path, message: 'is a text with half a character in it' }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unpublishable(item, `${path}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => unpublishable(item, `${path}.${name}`))
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
