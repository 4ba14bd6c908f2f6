/** Tells a mistake at its path. */
export type Report = (path: string, message: string) => void

/** A member of a value of any shape; undefined when it has none of that name. */
export function at(value: unknown, key: string): unknown {
  const isRecord = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return isRecord ? (value as Record<string, unknown>)[key] : undefined
}

/** A list inside a value of any shape; empty when there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}
