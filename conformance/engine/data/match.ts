import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#base/object.ts'
import * as assert from '../assert.ts'

/** A value that is described instead of told: `{ $matches: '^gen-' }`. */
type Matcher = (actual: unknown, wanted: unknown, path: string) => void

const matchers: Readonly<Record<string, Matcher>> = {
  $matches: (actual, wanted, path) => assert.match(String(actual), new RegExp(String(wanted), 'i'), path),
  $type: (actual, wanted, path) => assert.equal(typeOf(actual), wanted, `${path} is a ${typeOf(actual)}`),
  $absent: (actual, _, path) =>
    assert.equal(actual, undefined, `${path} is there: ${JSON.stringify(actual)}`),
  $oneOf: (actual, wanted, path) =>
    assert.ok(
      (wanted as unknown[]).some((one) => isDeepStrictEqual(one, actual)),
      `${path} is ${JSON.stringify(actual)}`,
    ),
  $atLeast: (actual, wanted, path) =>
    assert.ok(Number(actual) >= Number(wanted), `${path} is ${actual}, less than ${wanted}`),
  $length: (actual, wanted, path) =>
    assert.equal((actual as unknown[])?.length, wanted, `the length of ${path}`),
  $items(actual, wanted, path) {
    const items = wanted as unknown[]
    assert.ok(Array.isArray(actual), `${path} is no list: ${JSON.stringify(actual)}`)
    assert.equal(actual.length, items.length, `the length of ${path}`)
    for (const [index, item] of items.entries()) match(actual[index], item, `${path}[${index}]`)
  },
}

/** Asserts that a value has at least the wanted members, each equal or passing its matcher; messages name `path`. */
export function match(actual: unknown, wanted: unknown, path: string): void {
  if (!isObject(wanted)) {
    assert.deepEqual(actual, wanted, `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`)
    return
  }
  const [name = '', ...others] = Object.keys(wanted)
  const matcher = others.length === 0 ? matchers[name] : undefined
  if (matcher) matcher(actual, wanted[name], path)
  else {
    assert.ok(isObject(actual), `${path} is no object: ${JSON.stringify(actual)}`)
    for (const [member, value] of Object.entries(wanted)) match(actual[member], value, `${path}.${member}`)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
