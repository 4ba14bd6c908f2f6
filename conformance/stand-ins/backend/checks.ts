import { isObject } from '#base/object.ts'
/** Says what is wrong with a value, each problem with its path; nothing when it is right. */
export type Check = (value: unknown, path: string) => readonly string[]

/** A string. */
export const text: Check = (value, path) => (typeof value === 'string' ? [] : [`${path} must be a string`])

/** A string that is not empty. */
export const name: Check = (value, path) =>
  typeof value === 'string' && value !== '' ? [] : [`${path} must be a string that is not empty`]

/** True or false. */
export const flag: Check = (value, path) =>
  typeof value === 'boolean' ? [] : [`${path} must be true or false`]

/** Anything at all. */
export const anything: Check = () => []

/** A whole number within bounds. */
export function whole(least: number, most: number): Check {
  return (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? []
      : [`${path} must be a whole number from ${least} to ${most}`]
}

/** One of some words. */
export function oneOf(words: readonly string[]): Check {
  return (value, path) =>
    words.some((word) => word === value) ? [] : [`${path} must be one of ${words.join(', ')}`]
}

/** One of two shapes; the problem names both. */
export function either(first: Check, second: Check): Check {
  return (value, path) => {
    const problems = first(value, path)
    if (problems.length === 0) return []
    const others = second(value, path)
    return others.length === 0 ? [] : [[...problems, ...others].join(', or ')]
  }
}

/** A list of at most `most` such values. */
export function listOf(item: Check, most: number): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path} must be a list`]
    if (value.length > most) return [`${path} must have at most ${most} entries`]
    return value.flatMap((each, index) => item(each, `${path}[${index}]`))
  }
}

/** An object whose values all pass one check. */
export function recordOf(item: Check): Check {
  return (value, path) => {
    if (!isObject(value)) return [`${path} must be an object`]
    return Object.entries(value).flatMap(([key, each]) => item(each, `${path}.${key}`))
  }
}

/** An object with these members and no others; the required ones must be there. */
export function object(members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, path) => {
    if (!isObject(value)) return [`${path || 'the document'} must be an object`]
    const missing = required
      .filter((key) => value[key] === undefined)
      .map((key) => `${join(path, key)} is missing`)
    const wrong = Object.entries(value).flatMap(([key, each]) => {
      const check = Object.hasOwn(members, key) ? members[key] : undefined
      if (!check) return [`${join(path, key)} is unknown; known are ${Object.keys(members).join(', ')}`]
      return check(each, join(path, key))
    })
    return [...missing, ...wrong]
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
