import { isObject } from '#base/object.ts'
import * as assert from '../assert.ts'

/** How deep a value may be nested (ours): whoever walks a deeper one runs out of stack. */
const MAX_DEPTH = 200

/** JSON of somebody else. Throws a `SyntaxError` for what is none, or is nested deeper than anybody means. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`)
  return JSON.parse(text)
}

/** A JSON object that a product has sent to others; fails the scenario where it is none. */
export function parsed(text: string | undefined): ReturnType<typeof JSON.parse> {
  let value: unknown
  try {
    value = parseJson(text ?? '')
  } catch {
    // Told below.
  }
  assert.ok(isObject(value), `what was sent is no JSON object: ${(text ?? '(nothing)').slice(0, 200)}`)
  return value
}

/** Brackets within texts count as well: they close again, or are not there by hundreds. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at]
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
  }
  return depth > MAX_DEPTH
}
